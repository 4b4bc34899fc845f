import type { DecisionInput } from '../decision/decision.ts'
import type { InputFault } from '../input-fault.ts'
import type { Plan } from '../key/key.ts'
import type { Verdict } from '../watched-domain/watched-domain.ts'

/** Targets of one job. */
export const MAX_JOB_TARGETS = 10_000
/** Running jobs of one key. */
export const MAX_RUNNING_JOBS: Readonly<Record<Plan, number>> = { free: 1, unlimited: 5 }
/** Targets of the jobs that one key creates in 24 hours, beside the scans of its plan. */
export const MAX_JOB_TARGETS_PER_DAY: Readonly<Record<Plan, number>> = { free: 1_000, unlimited: 100_000 }
/** Age from their end at which jobs are deleted with their results. */
export const JOB_RETENTION_DAYS = 7
/** Attempts to decide one target: one that ends its process must not do so forever. */
export const MAX_JOB_ATTEMPTS = 3

const DAY_MS = 86_400_000
const MAX_IDEMPOTENCY_KEY_CHARACTERS = 100
/** As long as a target may be. */
const MAX_SHOWN_CHARACTERS = 2_048

/** A job that decides many targets in the background. */
export type DecisionJob = {
  /** Row id. */
  readonly id: string
  readonly status: 'running' | 'completed' | 'canceled'
  readonly createdAt: Date
  /** Null: no target has been taken yet. */
  readonly startedAt: Date | null
  /** Null: it runs. */
  readonly finishedAt: Date | null
  readonly targets: number
  readonly decided: number
  readonly invalid: number
  /** Targets without a scan. */
  readonly exceeded: number
  /** Targets that were given up. */
  readonly failed: number
}

/** How a target of a job ended. */
export type FinalStatus = 'decided' | 'invalid' | 'exceeded' | 'failed'

/** One target of a job with its result. */
export type DecisionJobResult = {
  /** Among the inputs, from 0. */
  readonly position: number
  readonly target: string
  readonly status: FinalStatus | 'waiting'
  /** Null unless it is decided, and once the decision was deleted; as the next three. */
  readonly decisionId: string | null
  readonly verdict: Verdict | null
  readonly confidence: number | null
  readonly validUntil: Date | null
  readonly faults: readonly InputFault[]
}

/** A target as a new job stores it. */
export type NewJobTarget = { readonly target: string } & (
  | { readonly input: DecisionInput }
  | { readonly faults: readonly InputFault[] }
)

/** Targets that are finished. */
export const finishedCount = ({ decided, invalid, exceeded, failed }: DecisionJob): number =>
  decided + invalid + exceeded + failed

/** When a job is deleted; null while it runs. */
export const expiryOf = ({ finishedAt }: Pick<DecisionJob, 'finishedAt'>): Date | null =>
  finishedAt && new Date(finishedAt.getTime() + JOB_RETENTION_DAYS * DAY_MS)

/** Faults of a request for a job, beside those of its targets. */
export function jobFaults(inputs: number, idempotencyKey: string | null): InputFault[] {
  const faults: InputFault[] = []
  if (inputs < 1 || inputs > MAX_JOB_TARGETS) {
    const message = `Expected "inputs" to be 1 to ${MAX_JOB_TARGETS.toLocaleString('en')} targets, got ${inputs.toLocaleString('en')}.`
    faults.push({ field: 'inputs', code: 'count', message })
  }
  if (idempotencyKey !== null && !isIdempotencyKey(idempotencyKey)) {
    const message = `Expected "idempotencyKey" to be 1 to ${MAX_IDEMPOTENCY_KEY_CHARACTERS} printable ASCII characters.`
    faults.push({ field: 'idempotencyKey', code: 'text', message })
  }
  return faults
}

const isIdempotencyKey = (text: string): boolean => text.length <= MAX_IDEMPOTENCY_KEY_CHARACTERS && /^[\x20-\x7e]+$/.test(text)

/** The same of an invalid input: of an address of any scheme, an ellipsis stands for what may hold secrets. */
export function shownInvalidTarget(input: DecisionInput): string {
  const shown = shownTarget(input)
  const [host = ''] = /^\s*(?:[a-z][a-z0-9+.-]{0,30}:)?[/\\]*[^/\\?#]*/i.exec(shown) ?? []
  return shown.length - host.length <= 1 ? shown : `${host}/…`
}

/** The text that shows an input of any content: well-formed, bounded and storable. */
export const shownTarget = ({ target, domain }: DecisionInput): string =>
  (target?.value ?? domain ?? '').slice(0, MAX_SHOWN_CHARACTERS).toWellFormed().replaceAll('\0', '\ufffd')
