import { type DirectiveNode, type DocumentNode, Kind, type ValueNode } from 'graphql'

/** Alternatives of which one must be held completely: `[["a", "b"], ["c"]]` is (a and b) or c. */
export type AnyOfAll = readonly (readonly string[])[]

/**
 * The requirement of one type or field; all parts must be met, null where a directive is absent.
 * Semantics: https://www.apollographql.com/docs/graphos/routing/security/authorization.
 */
export type Requirement = {
  /** Index in `AuthorizationRules.requirements`; equal requirements share one. */
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

/** What a caller is granted. */
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

/** `the scope "a" or the scopes "b" and "c"`, with this mark around each name. */
export const nameGroups = (noun: 'scope' | 'policy', anyOf: AnyOfAll, mark = '"'): string =>
  anyOf
    .map((all) => {
      const plural = noun === 'scope' ? 'scopes' : 'policies'
      return `the ${all.length === 1 ? noun : plural} ${all.map((name) => `${mark}${name}${mark}`).join(' and ')}`
    })
    .join(' or ')

/**
 * Reads the directives of a supergraph or of a subgraph, under whatever names a supergraph links
 * them.
 */
export function authorizationRules(schema: DocumentNode): AuthorizationRules {
  const names = linkedNames(schema)
  const requirements: Requirement[] = []
  const byText = new Map<string, Requirement>()
  const ofType = new Map<string, Requirement>()
  const ofField = new Map<string, Requirement>()
  for (const definition of schema.definitions) {
    if (!('name' in definition) || !definition.name || !('directives' in definition)) continue
    const type = definition.name.value
    addRequirement(ofType, type, definition.directives)
    if (!('fields' in definition) || definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) continue
    if (definition.kind === Kind.INPUT_OBJECT_TYPE_EXTENSION) continue
    for (const field of definition.fields ?? []) addRequirement(ofField, `${type}.${field.name.value}`, field.directives)
  }
  const rules = { requirements, ofType, ofField }
  assertFound(schema, rules)
  return rules

  function addRequirement(target: Map<string, Requirement>, key: string, directives: readonly DirectiveNode[] = []): void {
    const named = (name: string) => directives.find((directive) => directive.name.value === name)
    const isAuthenticated = named(names.authenticated) !== undefined
    const scopes = nameLists(named(names.requiresScopes), 'scopes')
    const policies = nameLists(named(names.policy), 'policies')
    if (!isAuthenticated && !scopes && !policies) return
    const text = JSON.stringify([isAuthenticated, scopes, policies])
    let requirement = byText.get(text)
    if (!requirement) {
      requirement = { index: requirements.length, isAuthenticated, scopes, policies }
      requirements.push(requirement)
      byText.set(text, requirement)
    }
    target.set(key, requirement)
  }
}

type DirectiveNames = { readonly authenticated: string; readonly requiresScopes: string; readonly policy: string }

/**
 * Resolves renamed imports: `import: [{ name: "@policy", as: "@rule" }]`, which composition also
 * writes for `@federation__policy`, or `as: "rule"` for the directive named like its feature.
 */
function linkedNames(schema: DocumentNode): DirectiveNames {
  const names = { authenticated: 'authenticated', requiresScopes: 'requiresScopes', policy: 'policy' }
  for (const definition of schema.definitions) {
    if (definition.kind !== Kind.SCHEMA_DEFINITION && definition.kind !== Kind.SCHEMA_EXTENSION) continue
    for (const { name, arguments: args = [] } of definition.directives ?? []) {
      if (name.value !== 'link') continue
      const argumentOf = (argumentName: string) => args.find((argument) => argument.name.value === argumentName)?.value
      const [url, as, imported] = [textOf(argumentOf('url')), textOf(argumentOf('as')), argumentOf('import')]
      const feature = /\/(authenticated|requiresScopes|policy|federation)\/v[\d.]+$/.exec(url ?? '')?.[1]
      if (feature === undefined) continue
      // Names of imports that the table lacks are skipped.
      if (feature !== 'federation' && as !== null) names[feature as keyof DirectiveNames] = as
      for (const [original, own] of importsIn(imported)) {
        // Names of imports that the table lacks are skipped.
        if (Object.hasOwn(names, original)) names[original as keyof DirectiveNames] = own
      }
    }
  }
  return names
}

const textOf = (value: ValueNode | undefined): string | null => (value?.kind === Kind.STRING ? value.value : null)

/** Imported directives and their names in the schema, both without `@`. */
function importsIn(value: ValueNode | undefined): readonly (readonly [original: string, own: string])[] {
  if (value?.kind !== Kind.LIST) return []
  return value.values.flatMap((each) => {
    const field = (argumentName: string) =>
      each.kind === Kind.OBJECT ? textOf(each.fields.find(({ name }) => name.value === argumentName)?.value) : textOf(each)
    const original = field('name')
    return original?.startsWith('@') ? [[original.slice(1), (field('as') ?? original).slice(1)] as const] : []
  })
}

/**
 * Throws when a supergraph links an authorization feature without using any of its directives: an
 * unresolved name must not count as no requirement.
 */
function assertFound(schema: DocumentNode, { requirements }: AuthorizationRules): void {
  const has: Readonly<Record<string, (requirement: Requirement) => boolean>> = {
    authenticated: ({ isAuthenticated }) => isAuthenticated,
    requiresScopes: ({ scopes }) => scopes !== null,
    policy: ({ policies }) => policies !== null,
  }
  for (const definition of schema.definitions) {
    if (definition.kind !== Kind.SCHEMA_DEFINITION && definition.kind !== Kind.SCHEMA_EXTENSION) continue
    for (const { name, arguments: args = [] } of definition.directives ?? []) {
      const url = textOf(args.find((argument) => argument.name.value === 'url')?.value) ?? ''
      const feature = name.value === 'link' ? (/\/(authenticated|requiresScopes|policy)\/v[\d.]+$/.exec(url)?.[1] ?? '') : ''
      if (Object.hasOwn(has, feature) && !requirements.some((requirement) => has[feature]?.(requirement)))
        throw new Error(`Expected the supergraph, which links ${url}, to use its directive: it is not known under which name.`)
    }
  }
}

/**
 * The list of lists of a directive; null without the directive. Throws for any other shape: an
 * unreadable value must not count as no requirement.
 */
function nameLists(directive: DirectiveNode | undefined, argument: string): AnyOfAll | null {
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
