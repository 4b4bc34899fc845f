import { type DocumentNode, type GraphQLFormattedError, print } from 'graphql'
import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import { authorizationRules, type Grants, isMet, type Requirement } from '../../platform/graphql/authorization-rules.ts'
import { type PlannedDocument, plannedDocument } from '../executor/federated/planned-document.ts'
import type { CheckedOperation } from '../operations/document-cache.ts'
import { refusal } from '../operations/errors.ts'
import type { Supergraph } from '../planning/supergraph.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import { inWords } from './directive-names.ts'
import { type Refusals, type RefusedPart, refusalsOf, requirementsIn } from './operation-guard.ts'

/** What a caller holds, and how its refusals are described. */
export type CallerGrants = Grants & {
  /** Told in place of every refusal: why the credentials gave nothing, such as UNAUTHENTICATED. Null for valid credentials and for none. */
  readonly denial: GraphQLFormattedError | null
  /** Describes the refusal of a root field; null for the usual error. */
  readonly describeRoot: ((requirement: Requirement) => GraphQLFormattedError) | null
}

/**
 * Finds what a caller holds. Called once per guarded operation, so it keeps its answers for a moment; the same object for the
 * same grants saves their comparison. Never rejects: what cannot be found out is a denial.
 */
export type FindGrants = (passage: RequestContext) => CallerGrants | Promise<CallerGrants>

/** Guards one operation that has guarded parts. */
export type OperationGuard = {
  /** The operation in the words of its plan, which refusals are about. */
  readonly ready: PlannedDocument
  /** What this caller is refused of the operation, and the error for each part; null when it may read all. */
  readonly check: (passage: RequestContext) => Promise<Refused | null>
  /** What was made for the operation under this key, of one kind of thing, or `make`s it; within the bound of all operations together. */
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
  /** Null for an operation without guarded parts. Works out once what the operation demands. */
  readonly guardOf: (checked: Pick<CheckedOperation, 'document' | 'operation'>) => OperationGuard | null
}

/** Holders of nothing: anonymous callers, and everybody where no grants can be found. */
export const NO_GRANTS: CallerGrants = {
  isAuthenticated: false,
  scopes: new Set(),
  policies: new Set(),
  denial: null,
  describeRoot: null,
}

type AuthorizedGraph = Pick<Supergraph, 'api' | 'fieldSets'>

/**
 * What is kept for callers who may not read all of an operation, of all operations of a graph together. Measured: a plan with its
 * shape takes 300 bytes for each character of its document, so this is at most 60 MB. What is forgotten is made again.
 */
const REFUSED_PLANS = { maxEntries: 1_000, maxCharacters: 200_000 }

/** Reads the directives of a supergraph; null when it has none, so that nothing has to be checked. */
export function authorizationOf(
  document: DocumentNode,
  { api, fieldSets }: AuthorizedGraph,
  findGrants: FindGrants,
): Authorization | null {
  const rules = authorizationRules(document)
  if (rules.requirements.length === 0) return null
  /** By grants, which their finder keeps: all requirements of the schema that they do not meet. */
  const unmetBy = new WeakMap<CallerGrants, ReadonlySet<Requirement>>()
  const kept = boundedCache<{ readonly made: unknown; readonly characters: number }>({
    ...REFUSED_PLANS,
    charactersOf: (_, { characters }) => characters,
  })
  let guards = 0

  return {
    guardOf(checked) {
      const demanded = requirementsIn(checked, api, rules)
      if (demanded.length === 0) return null
      const ready = plannedDocument(checked.document, checked.operation, fieldSets.names)
      const guard = ++guards
      const characters = print(ready.document).length
      const remember = <Made>(kind: string, key: string, make: () => Made): Made => {
        const known = kept.get(`${guard} ${kind} ${key}`)
        // Only this guard writes under its number, and each kind is one type.
        if (known) return known.made as Made
        const made = make()
        kept.set(`${guard} ${kind} ${key}`, { made, characters })
        return made
      }
      return {
        ready,
        remember,
        async check(passage) {
          const grants = await findGrants(passage)
          const unmetOfAll = unmetRequirements(grants)
          const unmet = demanded.filter((requirement) => unmetOfAll.has(requirement))
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
    ...(scopes ? [`credentials with ${inWords('scope', scopes)}`] : []),
    ...(policies ? [`a caller who meets ${inWords('policy', policies)}`] : []),
  ]
  return refusal('UNAUTHORIZED_FIELD_OR_TYPE', `Not authorized to read ${coordinate}: expected ${needs.join(', and ')}.`, {
    ...(scopes && { requiredScopes: scopes }),
    ...(policies && { requiredPolicies: policies }),
  })
}
