import { hash } from 'node:crypto'
import { ownValue } from '../../platform/collections/lookup-table.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type Data, typeNameIn } from '../executor/federated/response-data.ts'
import type { EntityPolicy } from './entity-cache-policy.ts'
import { entityTag, subgraphTag, typeTag } from './entity-cache-tags.ts'
import type { EntityLookup } from './entity-store.ts'

type Variables = Readonly<Record<string, unknown>>

/** Common parts of the lookups of one fetch. */
export type FetchParts = {
  readonly subgraph: string
  readonly textHash: string
  readonly typeOf: (typename: string) => CachedType
}

/** Cache policy of one type in one fetch, updated by its responses. */
export type CachedType = {
  /** Its `@key`s in the subgraph, each as a list of field names. */
  readonly keys: readonly (readonly string[])[]
  readonly policy: EntityPolicy
  /** Whether the last response was cacheable; if so, equal lookups wait for a fetch in flight. */
  isCacheable: boolean
  /** Whether the last response was public, that is equal for all callers. */
  isPublic: boolean
}

/** Lookup of a cacheable entity for one caller. */
export type CacheableEntity = EntityLookup & {
  readonly type: CachedType
  readonly publicKey: string
  readonly callerKey: string
  readonly isAnonymous: boolean
}

/** Cache lookups by index of the representation; null: must not be cached. */
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

/** Longer representations are hashed; shorter ones are no longer than their hash. */
const MAX_PLAIN_KEY = 64

/** Everything that may change a subgraph's response: part of a caller's cache key. */
const identityOf = ({ credentials, headers = {}, grantedScopes = [], connectedAt }: Caller): unknown => [
  Object.entries(credentials).sort(([one], [other]) => (one < other ? -1 : 1)),
  Object.entries(headers).sort(([one], [other]) => (one < other ? -1 : 1)),
  grantedScopes,
  Object.keys(credentials).length > 0 ? (connectedAt ?? null) : null,
]
