import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { Engine } from '../assessment/engine.ts'
import { type DecisionInput, parseDecisionInput } from '../decision/decision.ts'
import type { InputFault } from '../input-fault.ts'
import type { ApiKey } from '../key/key.ts'
import type { ApiKeyRepository } from '../key/repository.ts'
import { usageOf } from '../key/usage.ts'
import { DEFAULT_INTERACTION, DEFAULT_PROFILE } from '../pipeline/request.ts'
import {
  type DecisionJob,
  jobFaults,
  MAX_JOB_TARGETS_PER_DAY,
  MAX_RUNNING_JOBS,
  type NewJobTarget,
  shownInvalidTarget,
  shownTarget,
} from './decision-job.ts'
import type { DecisionJobRepository } from './repository.ts'

type CreateResult =
  | { readonly kind: 'created'; readonly job: DecisionJob }
  | { readonly kind: 'invalid'; readonly faults: readonly InputFault[] }
  | { readonly kind: 'limited'; readonly message: string }
  | { readonly kind: 'conflict'; readonly message: string }

const CONFLICT: CreateResult = {
  kind: 'conflict',
  message: 'Expected the inputs of the first request with this "idempotencyKey", got others: use another key for another job.',
}

const hashOf = (inputs: readonly DecisionInput[]): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(inputs.map(meaningOf)))
    .digest()

/** The same for all spellings of an input: `domain` or `target`, defaults left out or not, JSON or CSV. */
function meaningOf({ domain, target, interaction, profile }: DecisionInput): readonly unknown[] {
  const { kind, mode, sensitivity } = interaction ?? {}
  return [
    target?.type ?? 'domain',
    target?.value ?? domain,
    target && domain,
    kind ?? DEFAULT_INTERACTION.kind,
    mode ?? DEFAULT_INTERACTION.mode,
    sensitivity ?? DEFAULT_INTERACTION.sensitivity,
    profile ?? DEFAULT_PROFILE,
  ]
}

/** Inputs that are read before others get a turn: some 3 ms. */
const INPUTS_PER_TURN = 50

/** Creates a job for `key`; invalid targets are results of it at once. */
export async function createDecisionJob(
  key: ApiKey,
  { inputs, idempotencyKey }: { readonly inputs: readonly DecisionInput[]; readonly idempotencyKey: string | null },
  {
    engine,
    jobs,
    keys,
    now,
  }: { readonly engine: Engine; readonly jobs: DecisionJobRepository; readonly keys: ApiKeyRepository; readonly now: () => Date },
): Promise<CreateResult> {
  const faults = jobFaults(inputs.length, idempotencyKey)
  if (faults.length > 0) return { kind: 'invalid', faults }
  // Before anything is counted: the job of a request that is sent again has used scans meanwhile.
  const repeatable = idempotencyKey === null ? null : { idempotencyKey, requestHash: hashOf(inputs) }
  const known = repeatable && (await jobs.findRepeated(key.id, repeatable))
  if (known) return known === 'other inputs' ? CONFLICT : { kind: 'created', job: known }
  const targets: NewJobTarget[] = []
  for (const [index, input] of inputs.entries()) {
    if (index % INPUTS_PER_TURN === 0) await turn()
    const read = parseDecisionInput(input, engine)
    targets.push(
      'faults' in read ? { target: shownInvalidTarget(input), faults: read.faults } : { target: shownTarget(input), input },
    )
  }
  const at = now()
  const valid = targets.filter((each) => 'input' in each).length
  const { remaining } = await usageOf(key, at, keys)
  if (remaining !== null && remaining < valid) {
    return {
      kind: 'limited',
      message: `Expected at most ${remaining} valid targets, got ${valid}: so many scans are left this month.`,
    }
  }
  const job = await jobs.create({ key, repeatable, targets, at })
  switch (job) {
    case 'other inputs':
      return CONFLICT
    case 'too many running':
      return {
        kind: 'limited',
        message: `Expected at most ${MAX_RUNNING_JOBS[key.plan]} running jobs of this key: wait, or cancel one.`,
      }
    case 'too many targets': {
      const max = MAX_JOB_TARGETS_PER_DAY[key.plan].toLocaleString('en')
      return { kind: 'limited', message: `Expected at most ${max} targets in jobs of this key in 24 hours: wait, or send fewer.` }
    }
    default:
      return { kind: 'created', job }
  }
}
