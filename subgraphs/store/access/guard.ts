import type { GraphQLFieldResolver } from 'graphql'
import { forbidden } from '../../runtime/errors.ts'
import type { Context } from '../context.ts'
import type { Access } from './access.ts'
import { FIELD_SCOPES } from './scopes.ts'

type Resolver = GraphQLFieldResolver<unknown, Context>
type Demand = (typeof FIELD_SCOPES)[string]
type Field = Resolver | { readonly subscribe: Resolver; readonly resolve?: Resolver }

const ROOTS = ['Query', 'Mutation', 'Subscription']

/**
 * The same resolvers, with every root field behind its scopes: UNAUTHENTICATED for unknown callers, FORBIDDEN for known ones without
 * a scope; those for anyone stay as they are. Throws for a root field that the table of scopes does not have.
 */
export function guarded<Types extends object>(resolvers: Types): Types {
  const types = Object.entries(resolvers).map(([type, fields]) =>
    ROOTS.includes(type) ? [type, guardedFields(type, fields as Readonly<Record<string, Field>>)] : [type, fields],
  )
  // The same fields, each with its own signature.
  return Object.fromEntries(types) as Types
}

const guardedFields = (type: string, fields: Readonly<Record<string, Field>>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const scopes = FIELD_SCOPES[`${type}.${name}`]
      if (!scopes) throw new Error(`Expected subgraphs/store/access/scopes.ts to have a row for ${type}.${name}.`)
      return [
        name,
        typeof field === 'function' ? behind(scopes, field) : { ...field, subscribe: behind(scopes, field.subscribe) },
      ]
    }),
  )

/** Throws FORBIDDEN when access has none of these scopes, or is not the owner's; an empty list is open to every known caller. */
export function demand({ scopes: had }: Access, demanded: Demand): void {
  if (had === 'all' || demanded === 'anyone') return
  if (demanded === 'owner') throw forbidden('Expected the login and authtoken of the store: this is not for apps.')
  if (demanded.length === 0 || demanded.some((scope) => had.includes(scope))) return
  throw forbidden(`Expected credentials with the scope ${demanded.map((scope) => `"${scope}"`).join(' or ')}.`, demanded)
}

const behind = (demanded: Demand, resolver: Resolver): Resolver =>
  demanded === 'anyone'
    ? resolver
    : async (parent, args, context, info) => {
        demand(await context.access(), demanded)
        return resolver(parent, args, context, info)
      }
