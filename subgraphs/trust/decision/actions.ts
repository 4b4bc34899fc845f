import { createHash, randomBytes } from 'node:crypto'
import type { BoundedCache } from '../../../platform/collections/bounded-cache.ts'
import { type AssessParts, judged, lookedAt } from '../assessment/assess.ts'
import { isSettled } from '../assessment/engine.ts'
import { SCANS_PER_MONTH, type Usage } from '../key/key.ts'
import type { KeyRepository } from '../key/repository.ts'
import { usageOf } from '../key/usage.ts'
import type { DecideRequest, Override } from '../pipeline/request.ts'
import { secondsOf } from '../words.ts'
import type { Asked, Asker, LastJudgement } from './asker-repository.ts'
import { type Decision, type Fault, type Question, requestOf } from './decision.ts'
import { type Judgement, type Judgements, judgementId, judgementKey } from './judgements.ts'
import type { DecisionRepository, NewDecision } from './repository.ts'

/** What came of one question. */
export type Outcome =
  | { readonly kind: 'made'; readonly decision: Decision }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] }
  | { readonly kind: 'exceeded' }

export type DecideParts = AssessParts & {
  readonly keys: KeyRepository
  readonly decisions: DecisionRepository
  readonly judgements: Judgements
  /** What questions of late came to, by their JSON. */
  readonly requests: BoundedCache<Written>
  /** Who asks so many questions, which come to these requests. Rejects when that is nobody, or somebody who asks too fast. */
  readonly asker: (asked: readonly Asked[], questions: number) => Promise<Asker>
}

/** A request with the text and the hash by which it is known again. */
export type Written = Asked & { readonly request: DecideRequest; readonly text: string }

/**
 * Answers questions, in their order. Each answer is one scan of the key, counted when it is stored; where fewer are left than questions are valid, the first
 * ones get them, and for the others nothing is collected.
 */
export async function decideAll(
  questions: readonly Question[],
  parts: DecideParts,
): Promise<{ readonly outcomes: readonly Outcome[]; readonly usage: Usage }> {
  const { keys, now } = parts
  const begun = performance.now()
  const at = now()
  const read = questions.map((question) => readOf(question, parts))
  const valid = read.flatMap((each) => ('faults' in each ? [] : [each]))
  const asker = await parts.asker(valid, questions.length)
  const { key, scans: counted } = asker
  const limit = SCANS_PER_MONTH[key.plan]
  const before = await usageOf(key, at, keys, counted)
  const asked = valid.slice(0, before.remaining ?? valid.length)
  const made = await Promise.all(asked.map((each) => answer(each, asker, at, begun, parts)))
  const { stored, scans } =
    made.length === 0 ? { stored: 0, scans: null } : await parts.decisions.record(made, { keyId: key.id, at, limit })

  let next = 0
  const outcomes = read.map((each): Outcome => {
    if ('faults' in each) return { kind: 'invalid', faults: each.faults }
    const decision = next < stored ? made[next] : undefined
    next += 1
    return decision ? { kind: 'made', decision } : { kind: 'exceeded' }
  })
  return { outcomes, usage: scans === null ? before : await usageOf(key, at, keys, scans) }
}

function readOf(question: Question, { engine, requests }: DecideParts): Written | { readonly faults: readonly Fault[] } {
  const asked = JSON.stringify(question)
  const known = requests.get(asked)
  if (known) return known
  const request = requestOf(question, engine)
  if ('faults' in request) return request
  const text = engine.canonical(request)
  const written = { request, text, hash: createHash('sha256').update(text).digest(), subjects: subjectsOf(request) }
  requests.set(asked, written)
  return written
}

async function answer(
  written: Written,
  { key, overrides, last: lastOnes }: Asker,
  at: Date,
  begun: number,
  parts: DecideParts,
): Promise<NewDecision> {
  const { engine } = parts
  const { request, hash } = written
  const override = engine.overrideFor(request.target, overrides, secondsOf(at))
  const last = lastOnes.get(hash.toString('hex')) ?? null
  const { id: judgement, snapshot, decision, text } = await judgementOf({ written, override, last, at }, parts)
  return {
    id: `dec_${randomBytes(16).toString('hex')}`,
    keyId: key.id,
    createdAt: at,
    request,
    policyVersion: engine.policyVersion,
    override,
    judgement: decision,
    text,
    snapshot,
    elapsedMs: Math.round(performance.now() - begun),
    requestText: written.text,
    requestHash: hash,
    judgementId: judgement,
    isJudgementStored: judgement === last?.id,
    isSnapshotStored: snapshot.id === last?.snapshotId,
  }
}

/** Asked again within its validity, a question has its answer again; unless a source was missing then, which may be there by now. */
async function judgementOf(
  {
    written: { request, text: requestText, hash },
    override,
    last,
    at,
  }: {
    readonly written: Written
    readonly override: Override | null
    /** What was good enough last time; null for nothing. */
    readonly last: LastJudgement | null
    readonly at: Date
  },
  parts: DecideParts,
): Promise<Judgement> {
  const { engine, decisions, judgements } = parts
  const good = (snapshotId: string): Judgement | null => {
    const known = judgements.get(judgementKey(snapshotId, hash, override))
    return known && known.decision.validity.validUntil > secondsOf(at) ? known : null
  }
  const known = last && good(last.snapshotId)
  if (known) return known
  const used = last && (await decisions.snapshot(last.snapshotId))
  const { target } = request
  const snapshot = await lookedAt(target, used && isSettled(target, used) ? used : null, parts)
  // Of those who waited for the same evidence, the first has judged.
  const met = good(snapshot.id)
  if (met) return met
  const assessed = judged(snapshot, request, override, { engine, at: secondsOf(parts.now()) })
  const text = engine.textOf(assessed.decision)
  const id = judgementId({
    requestText,
    snapshotId: assessed.snapshot.id,
    policyVersion: engine.policyVersion,
    override,
    text,
  })
  const judgement = { id, ...assessed, text }
  if (isSettled(target, judgement.snapshot)) judgements.set(judgementKey(judgement.snapshot.id, hash, override), judgement)
  return judgement
}

/** Every name that an override for a request can have. */
const subjectsOf = ({ target: { host, name } }: DecideRequest): readonly string[] => [
  ...new Set([host, name.tenant, name.registrable].filter((each) => each !== null)),
]
