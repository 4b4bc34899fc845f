import { createHash, randomBytes } from 'node:crypto'
import { type Assessed, type AssessParts, assess } from '../assessment/assess.ts'
import { isComplete } from '../assessment/engine.ts'
import { type ApiKey, SCANS_PER_MONTH, type Usage } from '../key/key.ts'
import type { KeyRepository } from '../key/repository.ts'
import { usageOf } from '../key/usage.ts'
import type { OverrideRepository } from '../override/repository.ts'
import type { DecideRequest, Override } from '../pipeline/request.ts'
import { secondsOf } from '../words.ts'
import { type Decision, type Fault, type Question, requestOf } from './decision.ts'
import type { DecisionRepository, NewDecision } from './repository.ts'

/** What came of one question. */
export type Outcome =
  | { readonly kind: 'made'; readonly decision: Decision }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] }
  | { readonly kind: 'exceeded' }

export type DecideParts = AssessParts & {
  readonly keys: KeyRepository
  readonly decisions: DecisionRepository
  readonly overrides: OverrideRepository
}

/**
 * Answers questions of a key, in their order. Each answer is one scan, counted when it is stored; where fewer are left than questions are valid, the first
 * ones get them, and for the others nothing is collected.
 */
export async function decideAll(
  questions: readonly Question[],
  key: ApiKey,
  parts: DecideParts,
): Promise<{ readonly outcomes: readonly Outcome[]; readonly usage: Usage }> {
  const { engine, keys, now } = parts
  const begun = performance.now()
  const at = now()
  const limit = SCANS_PER_MONTH[key.plan]
  const read = questions.map((question) => requestOf(question, engine))
  const valid = read.flatMap((request) => ('faults' in request ? [] : [request]))
  const before = await usageOf(key, at, keys)
  const asked = valid.slice(0, before.remaining ?? valid.length)
  const made = await answers(asked, key, at, begun, parts)
  const { stored, scans } =
    made.length === 0 ? { stored: 0, scans: null } : await parts.decisions.record(made, { keyId: key.id, at, limit })

  let next = 0
  const outcomes = read.map((request): Outcome => {
    if ('faults' in request) return { kind: 'invalid', faults: request.faults }
    const decision = next < stored ? made[next] : undefined
    next += 1
    return decision ? { kind: 'made', decision } : { kind: 'exceeded' }
  })
  return { outcomes, usage: scans === null ? before : await usageOf(key, at, keys, scans) }
}

async function answers(
  requests: readonly DecideRequest[],
  key: ApiKey,
  at: Date,
  begun: number,
  parts: DecideParts,
): Promise<readonly NewDecision[]> {
  if (requests.length === 0) return []
  const { engine, overrides, decisions } = parts
  const written = requests.map((request) => {
    const text = engine.canonical(request)
    return { request, text, hash: createHash('sha256').update(text).digest() }
  })
  const [own, known] = await Promise.all([
    overrides.inForce(key.id, subjectsOf(requests), at),
    decisions.lastSnapshots({
      keyId: key.id,
      hashes: written.map(({ hash }) => hash),
      at,
      policyVersion: engine.policyVersion,
    }),
  ])

  return Promise.all(
    written.map(async ({ request, text, hash }): Promise<NewDecision> => {
      const override = engine.overrideFor(request.target, own, secondsOf(at))
      // Asked again within its validity, a question has its answer again; unless a source was missing then, which may be there by now.
      const last = known.get(hash.toString('hex'))
      const reusable = last && isComplete(last) ? last : null
      const assessed = await assess(request, override, reusable, parts)
      const isSnapshotStored = assessed.snapshot === reusable
      return newDecision({ request, override, assessed, isSnapshotStored, key, at, begun, text, hash, parts })
    }),
  )
}

function newDecision({
  request,
  override,
  assessed: { snapshot, decision },
  isSnapshotStored,
  key,
  at,
  begun,
  text,
  hash,
  parts: { engine },
}: {
  readonly request: DecideRequest
  readonly override: Override | null
  readonly assessed: Assessed
  readonly isSnapshotStored: boolean
  readonly key: ApiKey
  readonly at: Date
  readonly begun: number
  readonly text: string
  readonly hash: Buffer
  readonly parts: DecideParts
}): NewDecision {
  return {
    id: `dec_${randomBytes(16).toString('hex')}`,
    keyId: key.id,
    createdAt: at,
    request,
    policyVersion: engine.policyVersion,
    override,
    judgement: decision,
    text: engine.textOf(decision),
    snapshot,
    elapsedMs: Math.round(performance.now() - begun),
    requestText: text,
    requestHash: hash,
    isSnapshotStored,
  }
}

/** Every name that an override for one of these requests can have. */
const subjectsOf = (requests: readonly DecideRequest[]): readonly string[] => [
  ...new Set(
    requests.flatMap(({ target: { host, name } }) => [host, name.tenant, name.registrable].filter((each) => each !== null)),
  ),
]
