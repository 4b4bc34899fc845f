import {
  defaultFieldResolver,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
} from 'graphql'
import { type Grants, isMet, type Requirement } from '../../../platform/graphql/authorization-rules.ts'
import { ERROR_CODES, forbidden, unauthenticated } from '../../../platform/graphql/errors.ts'
import { HOW_TO_SIGN_IN, NOT_FOR_THESE } from './access.ts'
import type { Access } from './grant.ts'
import { anyScopeOf, PUBLIC_ROOT_FIELDS, RULES } from './rules.ts'
import type { Scope } from './scopes.ts'
import { ROLE_RIGHTS } from './staff-roles.ts'

/** What the guard needs of the context of an operation. */
type Context = {
  readonly grants: () => Promise<StoreGrants>
  /** Null before `grants` has resolved. */
  readonly knownGrants: () => StoreGrants | null
}
type Resolver = GraphQLFieldResolver<unknown, Context>
type FindReference = (reference: unknown, context: Context, info: GraphQLResolveInfo) => unknown
/** What `@apollo/subgraph` keeps at a type that has `__resolveReference`. */
type Extensions = { readonly apollo?: { readonly subgraph?: { resolveReference?: FindReference } } }

const ROOTS = ['Query', 'Mutation', 'Subscription']

/**
 * Guards every field of a schema by its directives and those of its type, beyond the demands of its
 * parent type. Root fields answer UNAUTHENTICATED to unknown callers and FORBIDDEN to known ones;
 * fields below answer UNAUTHORIZED_FIELD_OR_TYPE. Throws for a root field without a directive that
 * is not listed as public, and for a union or interface with members that demand more than the
 * field: those would stay unguarded.
 */
export function guardSchema(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) guardField(schema, type, field)
    guardReference(type)
  }
  return schema
}

function guardField(schema: GraphQLSchema, type: GraphQLObjectType, field: GraphQLField<unknown, Context>): void {
  if (type.name === 'Query' && field.name.startsWith('_')) return
  const coordinate = `${type.name}.${field.name}`
  const isRoot = ROOTS.includes(type.name)
  const own = RULES.ofField.get(coordinate)
  if (isRoot && !own && !PUBLIC_ROOT_FIELDS.has(coordinate)) {
    throw new Error(`Expected ${coordinate} to have @requiresScopes, @policy or @authenticated, or to be listed as public.`)
  }
  const target = getNamedType(field.type)
  const parent = RULES.ofType.get(type.name)
  const demanded = [own, RULES.ofType.get(target.name)].filter(
    (requirement): requirement is Requirement => requirement !== undefined && !(parent && implies(parent, requirement)),
  )
  if (isAbstractType(target)) {
    for (const { name } of schema.getPossibleTypes(target)) {
      const ofMember = RULES.ofType.get(name)
      if (ofMember && ![parent, ...demanded].some((held) => held && implies(held, ofMember)))
        throw new Error(`Expected ${coordinate} to demand what its possible type ${name} demands.`)
    }
  }
  if (demanded.length === 0) return
  const resolve = field.resolve ?? defaultFieldResolver
  if (type.name === 'Subscription') {
    field.subscribe = behind(demanded, coordinate, field.subscribe ?? defaultFieldResolver)
  } else field.resolve = behind(demanded, coordinate, resolve)
}

/** Guards an entity that the gateway resolves by key with the demands of its type. */
function guardReference(type: GraphQLObjectType): void {
  const requirement = RULES.ofType.get(type.name)
  // Written by @apollo/subgraph, untyped.
  const subgraph = (type.extensions as Extensions).apollo?.subgraph
  const find = subgraph?.resolveReference
  if (!requirement || !subgraph || !find) return
  subgraph.resolveReference = (reference, context, info) =>
    whenMet([requirement], type.name, context, () => find(reference, context, info))
}

/** Whether every caller that meets `held` meets `demanded`. */
function implies(held: Requirement, demanded: Requirement): boolean {
  if (held === demanded) return true
  if (demanded.policies || !held.scopes) return false
  const { scopes } = demanded
  return scopes === null || held.scopes.every((all) => scopes.some((enough) => enough.every((scope) => all.includes(scope))))
}

/**
 * Those that do not look at `info` are not given it: it is larger than most objects of an answer.
 */
function behind(demanded: readonly Requirement[], coordinate: string, resolver: Resolver): Resolver {
  if (resolver.length > 3 || resolver === defaultFieldResolver) {
    return (parent, args, context, info) => whenMet(demanded, coordinate, context, () => resolver(parent, args, context, info))
  }
  // A resolver may leave out its last parameter.
  const short = resolver as (parent: unknown, args: unknown, context: Context) => unknown
  return (parent, args, context) => whenMet(demanded, coordinate, context, () => short(parent, args, context))
}

/**
 * What `proceed` returns, at once where it is known already what the caller holds. Throws, or
 * rejects, when that is not enough.
 */
function whenMet(demanded: readonly Requirement[], coordinate: string, context: Context, proceed: () => unknown): unknown {
  const known = context.knownGrants()
  if (known) {
    assertMet(demanded, coordinate, known)
    return proceed()
  }
  return context.grants().then((grants) => {
    assertMet(demanded, coordinate, grants)
    return proceed()
  })
}

function assertMet(demanded: readonly Requirement[], coordinate: string, grants: StoreGrants): void {
  for (const requirement of demanded) {
    if (isMet(requirement, grants)) continue
    if (grants.storeCode === null) throw unauthenticated(HOW_TO_SIGN_IN)
    throw ROOTS.includes(coordinate.split('.', 1)[0] ?? '') ? refusalOfRoot(requirement) : unauthorized(coordinate, requirement)
  }
}

/** FORBIDDEN, in the words that the store has always had for it. */
export function refusalOfRoot(requirement: Requirement): GraphQLError {
  if (requirement.policies) return forbidden(NOT_FOR_THESE)
  return missingScope(anyScopeOf(requirement))
}

const missingScope = (scopes: readonly Scope[]): GraphQLError =>
  forbidden(`Expected credentials with the scope ${scopes.map((scope) => `"${scope}"`).join(' or ')}.`, scopes)

/** The same error as the gateway's, for requests that reach this subgraph without one. */
function unauthorized(coordinate: string, { scopes, policies }: Pick<Requirement, 'scopes' | 'policies'>): GraphQLError {
  const names = (scopes ?? policies ?? []).map((all) => all.map((name) => `"${name}"`).join(' and ')).join(' or ')
  return new GraphQLError(`Not authorized to read ${coordinate}: expected the ${scopes ? 'scope' : 'policy'} ${names}.`, {
    extensions: {
      code: ERROR_CODES.unauthorizedField,
      ...(scopes && { requiredScopes: scopes }),
      ...(policies && { requiredPolicies: policies }),
    },
  })
}

/**
 * Throws FORBIDDEN when access has none of these scopes; an empty list is open to every known
 * caller.
 */
export function demand({ scopes: held }: Access, demanded: readonly Scope[]): void {
  if (held === 'all' || demanded.length === 0 || demanded.some((scope) => held.includes(scope))) return
  throw missingScope(demanded)
}

/**
 * Throws UNAUTHORIZED_FIELD_OR_TYPE when access has none of the scopes that a field needs for this
 * one object.
 */
export function demandForField({ scopes: held }: Access, coordinate: string, demanded: readonly Scope[]): void {
  if (held === 'all' || demanded.some((scope) => held.includes(scope))) return
  throw unauthorized(coordinate, { scopes: demanded.map((scope) => [scope]), policies: null })
}

/** What a caller holds in this subgraph. */
export type StoreGrants = Grants & {
  /** Code of the store whose credentials they are; null for a signed-in user. */
  readonly storeCode: string | null
}

/** What access gives, in terms of the directives of the schema. */
export const grantsOf = ({ storeCode, scopes, app, staff }: Access, all: readonly Scope[]): StoreGrants => ({
  isAuthenticated: true,
  storeCode,
  scopes: new Set(scopes === 'all' ? all : scopes),
  policies: new Set(policiesOf({ scopes, app, staff })),
})

/** Programs with the store's own authtoken have the rights of its owner; apps have no policies. */
const policiesOf = ({ scopes, app, staff }: Pick<Access, 'scopes' | 'app' | 'staff'>): readonly string[] => {
  if (staff) return ROLE_RIGHTS[staff.role].policies
  return scopes === 'all' && app === null ? ROLE_RIGHTS.OWNER.policies : []
}
