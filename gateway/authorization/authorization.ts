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

/** What a caller holds, and how its refusals are described. */
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
 * Finds the grants of a caller. Called once per guarded operation, so it caches for a moment; equal
 * grants should be the same object, which saves comparing them. Never rejects: a failure is a
 * denial.
 */
export type FindGrants = (context: RequestContext) => CallerGrants | Promise<CallerGrants>

/** Guards one operation that has guarded parts. */
export type OperationGuard = {
  /** The planned document, to which refusals refer. */
  readonly ready: PlannedDocument
  /**
   * What this caller is refused of the operation, and the error for each part; null when it may
   * read all.
   */
  readonly check: (context: RequestContext) => Promise<Refused | null>
  /** Memoizes `make` per kind and key, within one bound for all operations of the graph. */
  readonly remember: <Made>(kind: 'plan' | 'subscription', key: string, make: () => Made) => Made
}

export type Refused = {
  readonly refusals: Refusals
  readonly errorOf: (part: RefusedPart) => GraphQLFormattedError
  /** The same for callers whose errors have the same texts. */
  readonly errorKey: string
}

/** Enforces the authorization directives of one supergraph. */
export type Authorization = {
  /** Collects the requirements of an operation; null for one without guarded parts. */
  readonly guardOf: (checked: Pick<ValidatedOperation, 'document' | 'operation'>) => OperationGuard | null
}

/** The grants of anonymous callers, and of every caller where no grants are configured. */
export const NO_GRANTS: CallerGrants = {
  isAuthenticated: false,
  scopes: new Set(),
  policies: new Set(),
  denial: null,
  describeRoot: null,
}

type AuthorizedGraph = Pick<Supergraph, 'api' | 'fieldSets'>

/**
 * Bound of the plans and refusals for callers who may read a part of an operation, for all
 * operations of a graph together. Measured: a plan with its projection takes 300 bytes per
 * character of its document, so at most 60 MB. Evicted ones are made again.
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
  /** By the grants object: all requirements of the schema that it does not meet. */
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
        // Only this guard writes under its number, and each kind has one type.
        if (existing) return existing.made as Made
        const made = make()
        // Most operations are never refused, and the text of hundreds takes a start 50 ms.
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
