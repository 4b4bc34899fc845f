import { hash as digestOf, randomUUID } from 'node:crypto'
import type { BoundedCache } from '../../../platform/collections/bounded-cache.ts'
import { type AssessParts, decideFromSnapshot, loadOrCollectSnapshot } from '../assessment/assess.ts'
import { isFinal } from '../assessment/engine.ts'
import { applyLists, entriesIn } from '../assessment/listed.ts'
import type { Snapshot } from '../evidence.ts'
import { listingsOf } from '../feed/feed.ts'
import type { FeedRecorder } from '../feed/recorder.ts'
import type { InputFault } from '../input-fault.ts'
import { SCANS_PER_MONTH, type Usage } from '../key/key.ts'
import type { ApiKeyRepository } from '../key/repository.ts'
import { usageOf } from '../key/usage.ts'
import type { DecideRequest, Override } from '../pipeline/request.ts'
import { toUnixSeconds } from '../unix-time.ts'
import type { CallerState, DecideRequestKey, LastJudgement } from './caller-state-repository.ts'
import { type Decision, type DecisionInput, parseDecisionInput } from './decision.ts'
import { type Judgement, type JudgementCache, judgementId, judgementKey } from './judgement-cache.ts'
import type { DecisionRepository, NewDecision } from './repository.ts'

/** Result of one decision input. */
export type DecideResult =
  | { readonly kind: 'made'; readonly decision: Decision }
  | { readonly kind: 'invalid'; readonly faults: readonly InputFault[] }
  | { readonly kind: 'exceeded' }

export type DecideParts = AssessParts & {
  readonly keys: ApiKeyRepository
  readonly decisions: DecisionRepository
  readonly judgementCache: JudgementCache
  /** Counts what decisions meet in threat feeds. */
  readonly feedRecorder: Pick<FeedRecorder, 'note'>
  /** Recently parsed requests, by the JSON of their input. */
  readonly requestCache: BoundedCache<PreparedRequest>
  /**
   * Authenticates the caller and charges `questions` to its rate limit; rejects when either fails.
   */
  readonly callerState: (requests: readonly DecideRequestKey[], questions: number) => Promise<CallerState>
}

/** A parsed request with its canonical text and hash. */
export type PreparedRequest = DecideRequestKey & {
  /** As it is stored: of a URL only hashes of what stands behind the host. */
  readonly request: DecideRequest
  readonly text: string
  /** The target as it was sent, for the answer. */
  readonly sentValue: string
}

/**
 * Answers questions, in their order. Each answer is one scan of the key, counted when it is stored;
 * where fewer are left than questions are valid, the first ones get them, and for the others
 * nothing is collected.
 */
export async function decideAll(
  questions: readonly DecisionInput[],
  parts: DecideParts,
): Promise<{ readonly results: readonly DecideResult[]; readonly usage: Usage }> {
  const { keys, now } = parts
  const begun = performance.now()
  const at = now()
  const read = questions.map((question) => prepareRequest(question, parts))
  const valid = read.flatMap((each) => ('faults' in each ? [] : [each]))
  const asker = await parts.callerState(valid, questions.length)
  const { key, scans: counted } = asker
  const limit = SCANS_PER_MONTH[key.plan]
  const before = await usageOf(key, at, keys, counted)
  const covered = valid.slice(0, before.remaining ?? valid.length)
  const made = await Promise.all(covered.map((each) => createDecision(each, asker, at, begun, parts)))
  const { stored, scans } =
    made.length === 0 ? { stored: 0, scans: null } : await parts.decisions.record(made, { keyId: key.id, at, limit })

  let next = 0
  const results = read.map((each): DecideResult => {
    if ('faults' in each) return { kind: 'invalid', faults: each.faults }
    const decision = next < stored ? made[next] : undefined
    next += 1
    return decision ? { kind: 'made', decision } : { kind: 'exceeded' }
  })
  return { results, usage: scans === null ? before : await usageOf(key, at, keys, scans) }
}

function prepareRequest(
  question: DecisionInput,
  { engine, requestCache: requests }: DecideParts,
): PreparedRequest | { readonly faults: readonly InputFault[] } {
  const cacheKey = JSON.stringify(question)
  const cached = requests.get(cacheKey)
  if (cached) return cached
  const sent = parseDecisionInput(question, engine)
  if ('faults' in sent) return sent
  const sentValue = sent.target.value
  const request: DecideRequest = { ...sent, target: { ...sent.target, value: engine.withoutPath(sentValue) } }
  const text = engine.canonical(request)
  const written = { request, text, hash: digestOf('sha256', text, 'buffer'), subjects: subjectsOf(request), sentValue }
  requests.set(cacheKey, written)
  return written
}

async function createDecision(
  written: PreparedRequest,
  { key, overrides, last: lastOnes }: CallerState,
  at: Date,
  begun: number,
  parts: DecideParts,
): Promise<NewDecision> {
  const { engine } = parts
  const { request, hash, sentValue } = written
  const seconds = toUnixSeconds(at)
  const own = engine.overrideFor(request.target, overrides, seconds)
  const wanted = await parts.lists.overrideFor(request.target, own, seconds)
  const last = lastOnes.get(hash.toString('hex')) ?? null
  const { judgement: made, override } = await findOrCreateJudgement({ written, override: wanted, last, at }, parts)
  const { id: judgement, snapshot, decision, text } = made
  parts.lists.noteHits(entriesIn(decision, snapshot))
  parts.feedRecorder.note(listingsOf(request.target, snapshot))
  return {
    // Node makes these from random bytes that it has in store, without a system call each.
    id: `dec_${randomUUID().replaceAll('-', '')}`,
    keyId: key.id,
    createdAt: at,
    request,
    policyVersion: engine.policyVersion,
    override,
    judgement: { ...decision, target: { ...decision.target, value: sentValue } },
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

/**
 * Reuses a judgement while it is valid. Where a source was unavailable when it was made, evidence is
 * collected first, and the judgement is reused if that is what it was.
 */
async function findOrCreateJudgement(
  {
    written: { request, text: requestText, hash, sentValue },
    override: wanted,
    last,
    at,
  }: {
    readonly written: PreparedRequest
    /** What decides about the target itself. */
    readonly override: Override | null
    /** The latest valid judgement; null when there is none. */
    readonly last: LastJudgement | null
    readonly at: Date
  },
  parts: DecideParts,
): Promise<{ readonly judgement: Judgement; readonly override: Override | null }> {
  const { engine, decisions, judgementCache: judgements, lists } = parts
  const { target } = request
  const findValid = (snapshotId: string, override: Override | null, when: Date): Judgement | null => {
    const stored = judgements.get(judgementKey(snapshotId, hash, override))
    return stored && stored.decision.validity.validUntil > toUnixSeconds(when) ? stored : null
  }
  const listed = (snapshot: Snapshot) =>
    applyLists({ target, snapshot, override: wanted }, { engine, lists, at: toUnixSeconds(at) })
  const cached = last && findValid(last.snapshotId, wanted, at)
  const used = cached ? cached.snapshot : last && (await decisions.snapshot(last.snapshotId))
  const final = used && isFinal(target, used) ? used : null
  if (cached && final) {
    // The lists of the operator may say something else about it by now.
    const { snapshot, override } = await listed(final)
    if (snapshot === final && override === wanted) return { judgement: cached, override }
  }
  const { snapshot, override } = await listed(await loadOrCollectSnapshot(target, final, sentValue, parts))
  // The evidence may be what it was, where a source is still unavailable; and a concurrent request
  // for the same evidence may have stored its judgement. It may have expired while evidence was collected.
  const shared = findValid(snapshot.id, override, parts.now())
  if (shared) return { judgement: shared, override }
  const assessed = decideFromSnapshot(snapshot, request, override, { engine, at: toUnixSeconds(parts.now()) })
  const text = engine.textOf(assessed.decision)
  const id = judgementId({
    requestText,
    snapshotId: assessed.snapshot.id,
    policyVersion: engine.policyVersion,
    override,
    text,
  })
  const judgement = { id, ...assessed, text }
  judgements.set(judgementKey(judgement.snapshot.id, hash, override), judgement)
  return { judgement, override }
}

/** Every name that an override for a request can have. */
const subjectsOf = ({ target: { host, name } }: DecideRequest): readonly string[] => [
  ...new Set([host, name.tenant, name.registrable].filter((each) => each !== null)),
]
