import { hash } from 'node:crypto'
import { ownValue } from '../../platform/collections/lookup-table.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type Data, typeNameIn } from '../executor/federated/response-data.ts'
import type { EntityPolicy } from './entity-cache-policy.ts'
import { entityTag, subgraphTag, typeTag } from './entity-cache-tags.ts'
import type { EntityLookup } from './entity-store.ts'

type Variables = Readonly<Record<string, unknown>>

/** What the lookups of one fetch have in common. */
export type FetchParts = {
  readonly subgraph: string
  readonly textHash: string
  readonly typeOf: (typename: string) => CachedType
}

/** What is known of one type in one fetch, before and from its responses. */
export type CachedType = {
  /** Its `@key`s in the subgraph, each as the names of its fields. */
  readonly keys: readonly (readonly string[])[]
  readonly policy: EntityPolicy
  /** Whether responses are expected to be cacheable, so that equal lookups had better wait. */
  isCacheable: boolean
  /** Whether they are expected to be the same for every caller. */
  isPublic: boolean
}

/** An entity that may be cached, as one caller wants it. */
export type CacheableEntity = EntityLookup & {
  readonly type: CachedType
  readonly publicKey: string
  readonly callerKey: string
  readonly isAnonymous: boolean
}

/** What is looked up for each representation; null where it must not be cached. */
export function entitiesOf(
  { subgraph, textHash, typeOf }: FetchParts,
  representations: readonly Data[],
  variables: Variables,
  caller: Caller,
): readonly (CacheableEntity | null)[] {
  const publicPrefix = hash('sha256', JSON.stringify([textHash, variables]), 'base64url')
  const callerPrefix = hash('sha256', JSON.stringify([publicPrefix, identityOf(caller)]), 'base64url')
  const isAnonymous = Object.keys(caller.credentials).length === 0 && caller.headers === undefined
  const shared = [subgraphTag(subgraph)]
  const typeTags = new Map<string, string>()
  return representations.map((representation) => {
    const typename = typeNameIn(representation)
    const type = typeOf(typename)
    const { policy } = type
    if (policy.maxTtlSeconds <= 0 || (policy.isPrivate && isAnonymous)) return null
    const text = JSON.stringify(representation)
    const identity = text.length > MAX_PLAIN_KEY ? hash('sha256', text, 'base64url') : text
    const [publicKey, callerKey] = [`${publicPrefix}${identity}`, `${callerPrefix}${identity}`]
    let tags: readonly string[] | null = null
    return {
      type,
      publicKey,
      callerKey,
      keys: policy.isPrivate ? [callerKey] : [publicKey, callerKey],
      isAnonymous,
      tags: () => (tags ??= automaticTags(representation, typename, type)),
    }
  })

  function automaticTags(representation: Data, typename: string, { keys }: CachedType): readonly string[] {
    const ofType = typeTags.get(typename) ?? typeTag(subgraph, typename)
    typeTags.set(typename, ofType)
    const byKeys = keys.flatMap((fields) => {
      const values = fields.map((field) => [field, ownValue(representation, field)] as const)
      return values.some(([, value]) => value === undefined) ? [] : [entityTag(subgraph, typename, Object.fromEntries(values))]
    })
    return [...shared, ofType, ...byKeys]
  }
}

/** Longer representations are hashed; shorter ones need no more memory than a hash. */
const MAX_PLAIN_KEY = 64

/** Everything of a caller that a subgraph may answer differently for. */
const identityOf = ({ credentials, headers = {}, grantedScopes = [], connectedAt }: Caller): unknown => [
  Object.entries(credentials).sort(([one], [other]) => (one < other ? -1 : 1)),
  Object.entries(headers).sort(([one], [other]) => (one < other ? -1 : 1)),
  grantedScopes,
  Object.keys(credentials).length > 0 ? (connectedAt ?? null) : null,
]

/** The planner numbers the fetches of a named operation. */
export const anonymousText = (operation: string): string => operation.replace(/^query \w+/, 'query')
