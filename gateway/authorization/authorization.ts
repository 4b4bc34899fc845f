import { type DocumentNode, type GraphQLFormattedError, print } from 'graphql'
import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import {
  authorizationRules,
  type Grants,
  isMet,
  nameGroups,
  type Requirement,
} from '../../platform/graphql/authorization-rules.ts'
import { type PlannedDocument, plannedDocument } from '../executor/federated/planned-document.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import { refusal } from '../operations/errors.ts'
import type { Supergraph } from '../planning/supergraph.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import { type Refusals, refusalsOf, requirementsIn } from './operation-guard.ts'
import type { RefusedPart } from './refused-part.ts'

/** Grants of a caller, and the errors of its refusals. */
export type CallerGrants = Grants & {
  /**
   * The error that replaces every refusal: why the credentials are invalid, such as
   * UNAUTHENTICATED. Null for valid credentials and for none.
   */
  readonly denial: GraphQLFormattedError | null
  /** Describes the refusal of a root field; null for the usual error. */
  readonly describeRoot: ((requirement: Requirement) => GraphQLFormattedError) | null
}

/**
 * Finds the grants of a caller, once per operation with requirements, so implementations should
 * cache. Returning the same object for equal grants also saves comparing them. Never rejects: a
 * failure is a `denial`.
 */
export type FindGrants = (context: RequestContext) => CallerGrants | Promise<CallerGrants>

/** Guards one operation that has guarded parts. */
export type OperationGuard = {
  /** The planned document whose nodes the refusals refer to. */
  readonly ready: PlannedDocument
  /** The refused parts for this caller and their errors; null when none is refused. */
  readonly check: (context: RequestContext) => Promise<Refused | null>
  /** Memoizes `make` per kind and key, within one bound for all operations of the graph. */
  readonly remember: <Made>(kind: 'plan' | 'subscription', key: string, make: () => Made) => Made
}

export type Refused = {
  readonly refusals: Refusals
  readonly errorOf: (part: RefusedPart) => GraphQLFormattedError
  /** Equal for callers whose errors have equal texts. */
  readonly errorKey: string
}

/** Enforces the authorization directives of one supergraph. */
export type Authorization = {
  /** Collects the requirements of an operation; null for one without guarded parts. */
  readonly guardOf: (checked: Pick<ValidatedOperation, 'document' | 'operation'>) => OperationGuard | null
}

/** Grants of anonymous callers, and of every caller when `findGrants` is not configured. */
export const NO_GRANTS: CallerGrants = {
  isAuthenticated: false,
  scopes: new Set(),
  policies: new Set(),
  denial: null,
  describeRoot: null,
}

type AuthorizedGraph = Pick<Supergraph, 'api' | 'fieldSets'>

/**
 * Upper bounds of cached partial plans and refusals, for all operations of a graph together.
 * Measured: a plan with its projection takes 300 bytes per character of its document, so at most 60
 * MB. Evicted entries are built again.
 */
const REFUSED_PLANS = { maxEntries: 1_000, maxCharacters: 200_000 }

/**
 * Reads the directives of a supergraph; null when it has none, so that nothing has to be checked.
 */
export function authorizationOf(
  document: DocumentNode,
  { api, fieldSets }: AuthorizedGraph,
  findGrants: FindGrants,
): Authorization | null {
  const rules = authorizationRules(document)
  if (rules.requirements.length === 0) return null
  /** Unmet requirements of the whole schema, cached by grants object. */
  const unmetBy = new WeakMap<CallerGrants, ReadonlySet<Requirement>>()
  const cached = boundedCache<{ readonly made: unknown; readonly characters: number }>({
    ...REFUSED_PLANS,
    charactersOf: (_, { characters }) => characters,
  })
  let guards = 0

  return {
    guardOf(checked) {
      const required = requirementsIn(checked, api, rules)
      if (required.length === 0) return null
      const ready = plannedDocument(checked.document, checked.operation, fieldSets.names)
      const guard = ++guards
      let characters = 0
      const remember = <Made>(kind: string, key: string, make: () => Made): Made => {
        const existing = cached.get(`${guard} ${kind} ${key}`)
        // The key contains this guard's number and the kind, so the type is the one stored before.
        if (existing) return existing.made as Made
        const made = make()
        // Computed on the first refusal: most operations have none, and printing hundreds takes 50
        // ms at start.
        characters ||= print(ready.document).length
        cached.set(`${guard} ${kind} ${key}`, { made, characters })
        return made
      }
      return {
        ready,
        remember,
        async check(context) {
          const grants = await findGrants(context)
          const unmetOfAll = unmetRequirements(grants)
          const unmet = required.filter((requirement) => unmetOfAll.has(requirement))
          if (unmet.length === 0) return null
          const key = unmet.map(({ index }) => index).join()
          const refusals = remember('refusals', key, () => refusalsOf(ready, api, rules, new Set(unmet)))
          const { denial, describeRoot } = grants
          const errorKey = denial ? JSON.stringify(denial) : describeRoot ? 'described' : ''
          return { refusals, errorKey, errorOf: (part) => errorFor(part, grants) }
        },
      }
    },
  }

  function unmetRequirements(grants: CallerGrants): ReadonlySet<Requirement> {
    let unmet = unmetBy.get(grants)
    if (!unmet) {
      unmet = new Set(rules.requirements.filter((requirement) => !isMet(requirement, grants)))
      unmetBy.set(grants, unmet)
    }
    return unmet
  }
}

function errorFor(
  { coordinate, requirement, isRoot }: RefusedPart,
  { denial, describeRoot }: CallerGrants,
): GraphQLFormattedError {
  if (denial) return denial
  if (isRoot && describeRoot) return describeRoot(requirement)
  const { isAuthenticated, scopes, policies } = requirement
  const needs = [
    ...(isAuthenticated ? ['a signed-in caller'] : []),
    ...(scopes ? [`credentials with ${nameGroups('scope', scopes)}`] : []),
    ...(policies ? [`a caller who meets ${nameGroups('policy', policies)}`] : []),
  ]
  return refusal('UNAUTHORIZED_FIELD_OR_TYPE', `Not authorized to read ${coordinate}: expected ${needs.join(', and ')}.`, {
    ...(scopes && { requiredScopes: scopes }),
    ...(policies && { requiredPolicies: policies }),
  })
}
