import type { FetchNode } from '@apollo/query-planner'
import type { DocumentNode } from 'graphql'
import { boundedCache } from '../../../platform/collections/bounded-cache.ts'
import type { EntityResult } from '../../subgraph-client/link.ts'
import {
  type CompiledEntityFetch,
  collectRepresentations,
  createRepresentationList,
  type Representations,
  writeEntities,
} from './entity-fetch.ts'
import type { FetchSubgraph, PlanRun, RunNode } from './fetch.ts'
import { objectsAt, type PathSegment } from './flatten-path.ts'
import { type JoinedDocument, joinEntityDocuments, representationsOf, resultOfAlias } from './joined-documents.ts'
import { ENTITIES } from './planned-fetch.ts'
import type { Data } from './response-data.ts'

/** One of the entity fetches that share a request. */
export type MergedMember = {
  readonly node: FetchNode
  readonly document: DocumentNode
  readonly fetch: CompiledEntityFetch
  /** Sends a request for this and other members. */
  readonly sendMerged: FetchSubgraph
  /** Path from the objects of the Parallel node. */
  readonly segments: readonly PathSegment[]
  /** Path from the root as text. */
  readonly pathName: string
  /** Equal for fetches whose entities fit into one list. */
  readonly listKey: string
}

/**
 * Representations of a merged request: below 100 kB at 200 bytes each, the bound that Express sets
 * for bodies by default. Fetches with more are sent apart, as a plan has them.
 */
const MAX_MERGED_REPRESENTATIONS = 500

/**
 * For how long fetches are sent apart after the subgraph has refused a request for several. One that
 * allows no aliases would be asked twice by every operation; but a passing fault looks the same.
 */
const REFUSED_MS = 300_000

/** Documents of a plan, by which of its lists have entities; others are joined again. */
const JOINED_DOCUMENTS = { maxEntries: 16, maxCharacters: 1_000 }

/** Members with one list of entities. */
type MemberList = {
  /**
   * The first one in the plan. Requests have its document and its operation's name, also where it
   * has no entities itself: documents are kept for any of them.
   */
  readonly first: MergedMember
  readonly members: readonly Found[]
  readonly representations: readonly Data[]
  readonly at: number
}
/** A member with the objects at its path, and the representations of them. */
type Found = { readonly member: MergedMember; readonly objects: readonly Data[]; readonly collected: Representations }

/**
 * Sends entity fetches that are ready together as one request: members of one list as one
 * `_entities` selection with each entity once, different lists under aliases. Sends them apart when
 * they are too large together, and again when the subgraph has not answered the request as a whole,
 * because an error that makes one of them null must not do so with the others.
 */
export function compileMergedFetch(members: readonly MergedMember[]): RunNode {
  const lists = [...Map.groupBy(members, ({ listKey }) => listKey).values()]
  const documents = boundedCache<JoinedDocument>(JOINED_DOCUMENTS)
  let refusedUntil = 0

  return async (run, objects) => {
    const reached: MergedMember[] = []
    const found = lists.flatMap((list, at) => collectList(list, at, run, objects, reached))
    const fetching = found.flatMap(({ members: each }) => each)
    const count = found.reduce((sum, { representations }) => sum + representations.length, 0)
    const areApart = performance.now() < refusedUntil || count > MAX_MERGED_REPRESENTATIONS
    if (fetching.length > 1 && areApart) await sendApart(run, fetching)
    else if (fetching.length > 0) await sendTogether(run, found, fetching)
    if (!run.onFetched) return
    for (const { node } of reached) if (node.id !== undefined) run.onFetched(node.id)
  }

  async function sendTogether(run: PlanRun, found: readonly MemberList[], fetching: readonly Found[]): Promise<void> {
    const [list] = found
    if (!list) return
    const result = found.length === 1 ? await sendList(run, list) : await sendJoined(run, list.first, found)
    const mayBeApart = fetching.length > 1 && !isUnavailable(result) && !run.context.signal.aborted
    if (mayBeApart && isLost(result, found)) {
      const areAnswered = await sendApart(run, fetching)
      // What is wrong with a variable, with credentials or for a hook is refused apart as well.
      if (areAnswered && result.errors?.every(({ path }) => !path)) refusedUntil = performance.now() + REFUSED_MS
      return
    }
    for (const [index, list] of found.entries()) {
      write(run, list, found.length === 1 ? result : resultOfAlias(index, result, found.length))
    }
  }

  /** False when one of them has no data. */
  async function sendApart(run: PlanRun, fetching: readonly Found[]): Promise<boolean> {
    const results = await Promise.all(
      fetching.map(async ({ member: { fetch }, objects }) => {
        const collected = collectRepresentations(fetch, objects)
        const result = await sendAlone(run, fetch, collected.representations)
        writeEntities(fetch, run, result, collected)
        return result
      }),
    )
    return results.every(({ data }) => data)
  }

  function sendJoined(run: PlanRun, first: MergedMember, found: readonly MemberList[]): ReturnType<FetchSubgraph> {
    const variables: Record<string, unknown> = {}
    for (const [index, { members: each, representations }] of found.entries()) {
      for (const { member } of each) Object.assign(variables, member.fetch.inputOf(run.variables))
      variables[representationsOf(index)] = representations
    }
    const all = found.flatMap(({ members: each }) => each)
    return first.sendMerged(
      variables,
      run,
      documentOf(found),
      all.map(({ member }) => member.node),
    )
  }

  function documentOf(found: readonly MemberList[]): JoinedDocument {
    const key = found.map(({ at }) => at).join()
    const known = documents.get(key)
    if (known) return known
    const made = joinEntityDocuments(found.map(({ first }) => first.document))
    documents.set(key, made)
    return made
  }
}

/** The members of a list that have entities; equal entities of all of them are one representation. */
function collectList(
  list: readonly MergedMember[],
  at: number,
  run: PlanRun,
  starts: readonly Data[],
  reached: MergedMember[],
): readonly MemberList[] {
  const [first] = list
  if (!first) return []
  const shared = createRepresentationList()
  const members = list.flatMap((member): readonly Found[] => {
    const objects = run.deduplicated?.get(member.pathName) ?? objectsAt(starts, member.segments)
    if (objects.length > 0) reached.push(member)
    // By the first one's representations, so that equal entities are known to be equal.
    const collected = collectRepresentations(first.fetch, objects, shared)
    return collected.targets.length > 0 ? [{ member, objects, collected }] : []
  })
  return members.length > 0 ? [{ first, members, representations: shared.representations, at }] : []
}

function sendList(run: PlanRun, { members, representations }: MemberList): ReturnType<FetchSubgraph> {
  const { fetch, sendMerged } = firstOf(members)
  if (members.length === 1) return sendAlone(run, fetch, representations)
  return sendMerged(
    { ...fetch.inputOf(run.variables), representations },
    run,
    null,
    members.map(({ member }) => member.node),
  )
}

const sendAlone = (
  run: PlanRun,
  { inputOf, fetchSubgraph }: CompiledEntityFetch,
  representations: readonly Data[],
): ReturnType<FetchSubgraph> => fetchSubgraph({ ...inputOf(run.variables), representations }, run)

function write(run: PlanRun, { members, representations }: MemberList, result: EntityResult): void {
  // Later fetches may write other fields to the objects of one member than to those of another.
  const isShared = members.length > 1 && firstOf(members).fetch.hasObjects
  const written = isShared ? new Uint8Array(representations.length) : null
  for (const { member, collected } of members) writeEntities(member.fetch, run, result, { ...collected, written })
}

const firstOf = ([first]: readonly Found[]): MergedMember => {
  if (!first) throw new Error('Expected a list with a member.')
  return first.member
}

/** Whether a list of entities is missing, or has another length. */
function isLost({ data, unfetched }: EntityResult, found: readonly MemberList[]): boolean {
  if (unfetched && unfetched.length > 0) return true
  return found.some(({ representations }, index) => {
    const list = data?.[found.length === 1 ? ENTITIES : `_${index}`]
    return !Array.isArray(list) || list.length !== representations.length
  })
}

/** Codes of requests that would fail again; with a path they are about one of the fetches. */
const UNAVAILABLE: ReadonlySet<unknown> = new Set(['SUBGRAPH_UNAVAILABLE', 'TIMEOUT', 'UNAVAILABLE'])

const isUnavailable = ({ errors = [] }: EntityResult): boolean =>
  errors.some(({ path, extensions }) => !path && UNAVAILABLE.has(extensions?.code))
