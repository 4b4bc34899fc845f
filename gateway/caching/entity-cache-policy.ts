import {
  buildASTSchema,
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import type { TypeTest } from '../executor/federated/response-data.ts'
import { documentIndex, fragmentOf } from '../operations/document-index.ts'
import { forgetNodes } from '../planning/forget-sources.ts'
import { type CacheHint, readCacheHints } from './cache-hints.ts'
import type { HeaderPolicy } from './entity-cache-headers.ts'

/** Configuration of one type: `gateway/options/entity-cache-options.ts`. */
export type TypeCacheOptions = {
  readonly ttlSeconds?: number | undefined
  readonly scope?: 'PUBLIC' | 'PRIVATE' | undefined
}

/** Configuration of one subgraph's entities. */
export type SubgraphCacheOptions = {
  readonly ttlSeconds?: number | undefined
  readonly types?: Readonly<Record<string, TypeCacheOptions>> | undefined
}

/** Upper bound of an entity's lifetime, regardless of subgraph and schema. */
export const MAX_TTL_SECONDS = 86_400

/** Cache policy of a selection by schema and configuration, before a response arrives. */
export type EntityPolicy = {
  /** Lifetime for responses without Cache-Control; null: not cached. */
  readonly ttlSeconds: number | null
  /** Upper bound of the lifetime, also for responses with Cache-Control. */
  readonly maxTtlSeconds: number
  readonly isPublic: boolean
  readonly isPrivate: boolean
}

/** Finds the policy of a fetch for entities of one type. */
export type EntityPolicyOf = (subgraph: string, fetch: DocumentNode, typename: string) => EntityPolicy

/** Policies of a supergraph; its cache hints are read once. */
export function entityPolicies(
  document: DocumentNode,
  isOf: TypeTest,
  options: Readonly<Record<string, SubgraphCacheOptions>>,
): EntityPolicyOf {
  const schema = forgetNodes(buildASTSchema(document, { assumeValid: true, assumeValidSDL: true }))
  const hints = readCacheHints(document)
  return (subgraph, fetch, typename) => {
    const said = own(options, subgraph)
    const type = said?.types && own(said.types, typename)
    const hinted = hintedPolicy(fetch, typename, { schema, hints, isOf })
    const fallback = type?.ttlSeconds ?? said?.ttlSeconds ?? null
    const maxTtlSeconds = Math.min(hinted.max, type?.ttlSeconds ?? MAX_TTL_SECONDS, MAX_TTL_SECONDS)
    const ttlSeconds = hinted.isComplete ? hinted.max : fallback
    return {
      ttlSeconds: ttlSeconds === null ? null : Math.min(ttlSeconds, maxTtlSeconds),
      maxTtlSeconds,
      isPublic: type?.scope === 'PUBLIC' || hinted.isPublic,
      isPrivate: type?.scope === 'PRIVATE' || hinted.isPrivate,
    }
  }
}

/** Lifetime and scope of an entity after its response; null: must not be cached. */
export function effectivePolicy(
  policy: EntityPolicy,
  header: HeaderPolicy,
): { readonly ttlSeconds: number; readonly scope: 'PUBLIC' | 'CALLER' | 'PRIVATE' } | null {
  const ttlSeconds = Math.min(header.ttlSeconds ?? policy.ttlSeconds ?? 0, policy.maxTtlSeconds)
  if (ttlSeconds <= 0) return null
  if (policy.isPrivate || header.isPrivate) return { ttlSeconds, scope: 'PRIVATE' }
  return { ttlSeconds, scope: policy.isPublic || header.isPublic ? 'PUBLIC' : 'CALLER' }
}

type Hints = { readonly schema: GraphQLSchema; readonly hints: ReadonlyMap<string, CacheHint>; readonly isOf: TypeTest }

/**
 * Combined hints of the entity type and all selected fields: the shortest `maxAge`, and PRIVATE if
 * any.
 */
function hintedPolicy(fetch: DocumentNode, typename: string, { schema, hints, isOf }: Hints) {
  const entity = hints.get(typename)
  const result = {
    max: entity?.maxAge ?? Number.POSITIVE_INFINITY,
    /** Whether every object field has a `maxAge` or inherits one. */
    isComplete: entity?.maxAge !== undefined,
    isPublic: entity?.scope === 'PUBLIC',
    isPrivate: entity?.scope === 'PRIVATE',
  }
  const { operations, fragments } = documentIndex(fetch)
  for (const { selectionSet } of operations) {
    for (const root of selectionSet.selections) {
      if (root.kind === Kind.FIELD && root.selectionSet) read(root.selectionSet, typename, true)
    }
  }
  return result

  function read({ selections }: SelectionSetNode, type: string, isEntity: boolean): void {
    for (const selection of selections) {
      if (selection.kind !== Kind.FIELD) {
        const fragment = fragmentOf(selection, fragments)
        const condition = fragment?.typeCondition?.name.value
        if (!fragment || (isEntity && condition !== undefined && !isOf(type, condition) && condition !== type)) continue
        read(fragment.selectionSet, isEntity ? type : (condition ?? type), isEntity)
        continue
      }
      const { name, selectionSet } = selection
      if (name.value === '__typename') continue
      const hint = restrict(hints.get(`${type}.${name.value}`))
      const parent = schema.getType(type)
      // A possible type may have a stricter hint than its abstract type.
      if (isAbstractType(parent))
        for (const possible of schema.getPossibleTypes(parent)) restrict(hints.get(`${possible.name}.${name.value}`))
      const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name.value] : undefined
      const target = field && getNamedType(field.type)
      if (!target || !isCompositeType(target)) continue
      const targetHint = restrict(hints.get(target.name))
      if (isAbstractType(target)) for (const possible of schema.getPossibleTypes(target)) restrict(hints.get(possible.name))
      // Rule of Apollo Server: fields of object types have `maxAge` 0 without a hint.
      const isSaid = [hint, targetHint].some((each) => each && (each.maxAge !== undefined || each.inheritMaxAge))
      if (!isSaid) result.isComplete = false
      if (selectionSet) read(selectionSet, target.name, false)
    }
  }

  function restrict(hint: CacheHint | undefined): CacheHint | undefined {
    result.max = Math.min(result.max, hint?.maxAge ?? result.max)
    result.isPrivate ||= hint?.scope === 'PRIVATE'
    return hint
  }
}

/** Names are external input, so inherited properties must not match. */
const own = <Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined
