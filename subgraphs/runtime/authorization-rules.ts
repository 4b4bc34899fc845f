import { type DirectiveNode, type DocumentNode, Kind } from 'graphql'

/** Names of which one group must be held whole: `[["a", "b"], ["c"]]` is (a and b) or c. */
export type AnyOfAll = readonly (readonly string[])[]

/**
 * What the authorization directives of one type or field demand, all of it at once. Null where a directive does not stand.
 * Semantics: https://www.apollographql.com/docs/graphos/routing/security/authorization.
 */
export type Requirement = {
  /** Position in `AuthorizationRules.requirements`; equal demands are one requirement. */
  readonly index: number
  /** `@authenticated`: any caller whose credentials are valid. */
  readonly isAuthenticated: boolean
  /** `@requiresScopes(scopes:)`. */
  readonly scopes: AnyOfAll | null
  /** `@policy(policies:)`. */
  readonly policies: AnyOfAll | null
}

/** The authorization directives of a schema. */
export type AuthorizationRules = {
  /** Every distinct requirement; at most one per type and field of the schema. */
  readonly requirements: readonly Requirement[]
  /** By the name of an object, interface, scalar or enum type. */
  readonly ofType: ReadonlyMap<string, Requirement>
  /** By `Type.field`. */
  readonly ofField: ReadonlyMap<string, Requirement>
}

/** What a caller was found to hold. */
export type Grants = {
  readonly isAuthenticated: boolean
  readonly scopes: ReadonlySet<string>
  readonly policies: ReadonlySet<string>
}

/** Whether a caller with these grants meets a requirement. */
export const isMet = ({ isAuthenticated, scopes, policies }: Requirement, grants: Grants): boolean =>
  (!isAuthenticated || grants.isAuthenticated) && holds(scopes, grants.scopes) && holds(policies, grants.policies)

const holds = (anyOf: AnyOfAll | null, held: ReadonlySet<string>): boolean =>
  anyOf === null || anyOf.some((all) => all.every((name) => held.has(name)))

/** Reads the directives of a supergraph or of a subgraph, under whatever names a supergraph links them. */
export function authorizationRules(schema: DocumentNode): AuthorizationRules {
  const names = linkedNames(schema)
  const requirements: Requirement[] = []
  const known = new Map<string, Requirement>()
  const ofType = new Map<string, Requirement>()
  const ofField = new Map<string, Requirement>()
  for (const definition of schema.definitions) {
    if (!('name' in definition) || !definition.name || !('directives' in definition)) continue
    const type = definition.name.value
    put(ofType, type, definition.directives)
    if (!('fields' in definition) || definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) continue
    if (definition.kind === Kind.INPUT_OBJECT_TYPE_EXTENSION) continue
    for (const field of definition.fields ?? []) put(ofField, `${type}.${field.name.value}`, field.directives)
  }
  return { requirements, ofType, ofField }

  function put(into: Map<string, Requirement>, key: string, directives: readonly DirectiveNode[] = []): void {
    const named = (name: string) => directives.find((directive) => directive.name.value === name)
    const isAuthenticated = named(names.authenticated) !== undefined
    const scopes = listsIn(named(names.requiresScopes), 'scopes')
    const policies = listsIn(named(names.policy), 'policies')
    if (!isAuthenticated && !scopes && !policies) return
    const text = JSON.stringify([isAuthenticated, scopes, policies])
    let requirement = known.get(text)
    if (!requirement) {
      requirement = { index: requirements.length, isAuthenticated, scopes, policies }
      requirements.push(requirement)
      known.set(text, requirement)
    }
    into.set(key, requirement)
  }
}

type DirectiveNames = { readonly authenticated: string; readonly requiresScopes: string; readonly policy: string }

/** A supergraph may import a directive under another name: `@link(url: "…/policy/v0.1", as: "rule")`. */
function linkedNames(supergraph: DocumentNode): DirectiveNames {
  const names = { authenticated: 'authenticated', requiresScopes: 'requiresScopes', policy: 'policy' }
  for (const definition of supergraph.definitions) {
    if (definition.kind !== Kind.SCHEMA_DEFINITION && definition.kind !== Kind.SCHEMA_EXTENSION) continue
    for (const { name, arguments: given = [] } of definition.directives ?? []) {
      if (name.value !== 'link') continue
      const text = (wanted: string) => {
        const value = given.find((argument) => argument.name.value === wanted)?.value
        return value?.kind === Kind.STRING ? value.value : null
      }
      const feature = /\/(authenticated|requiresScopes|policy)\/v[\d.]+$/.exec(text('url') ?? '')?.[1]
      const as = text('as')
      if (feature && as !== null) names[feature as keyof DirectiveNames] = as
    }
  }
  return names
}

/** The list of lists that a directive has; null without the directive. Throws for a value of another shape, which nobody may take for no demand. */
function listsIn(directive: DirectiveNode | undefined, argument: string): AnyOfAll | null {
  if (!directive) return null
  const value = directive.arguments?.find(({ name }) => name.value === argument)?.value
  if (value?.kind !== Kind.LIST) throw new Error(`Expected @${directive.name.value} to have a list of lists as "${argument}".`)
  return value.values.map((group) => {
    if (group.kind !== Kind.LIST) throw new Error(`Expected @${directive.name.value} to have a list of lists as "${argument}".`)
    return group.values.map((name) => {
      if (name.kind !== Kind.STRING) throw new Error(`Expected @${directive.name.value} to list strings in "${argument}".`)
      return name.value
    })
  })
}
