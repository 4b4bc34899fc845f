import { type GraphQLField, type GraphQLFieldResolver, type GraphQLResolveInfo, type GraphQLSchema, isObjectType } from 'graphql'

type Reference = Readonly<Record<string, unknown>> & { readonly __typename: string }

/** `extensions` that `@apollo/subgraph` sets on types with `__resolveReference`. */
type Extensions = {
  readonly apollo?: {
    readonly subgraph?: {
      readonly resolveReference?: (reference: Reference, context: unknown, info: GraphQLResolveInfo) => unknown
    }
  }
}

/**
 * Resolver of a field. Replaces the `_entities` resolver of `@apollo/subgraph`, which allocates a
 * promise per entity; entity interfaces still use the library's.
 */
export function resolverOf(
  definition: GraphQLField<unknown, unknown>,
  schema: GraphQLSchema,
): GraphQLFieldResolver<unknown, unknown> | undefined {
  const { resolve, name } = definition
  if (!resolve || name !== '_entities' || !String(resolve).includes('entitiesResolver')) return resolve
  return (source, args, context, info) => {
    // By the schema the argument is of type [_Any!]!.
    const references = args.representations as readonly Reference[]
    const finders = references.map(({ __typename }) => finderOf(schema, __typename))
    if (finders.includes(null)) return resolve(source, args, context, info)
    return references.map((reference, index) => {
      const find = finders[index]
      const found = find ? find(reference, context, info) : reference
      // `then` is read from any object, because a promise of another realm or library is no
      // `instanceof Promise`.
      return found instanceof Promise || typeof (found as Partial<PromiseLike<unknown>> | null)?.then === 'function'
        ? Promise.resolve(found).then((entity) => typed(entity, reference.__typename))
        : typedOrError(found, reference.__typename)
    })
  }
}

/** The reference resolver of a type; undefined: the reference is the entity; null: unsupported. */
function finderOf(schema: GraphQLSchema, typename: string) {
  const type = schema.getType(typename)
  if (!isObjectType(type)) return null
  // Set by @apollo/subgraph without types.
  return (type.extensions as Extensions).apollo?.subgraph?.resolveReference
}

/**
 * Adds `__typename` for the union `_Entity`. Like the library, does not change an own `__typename`.
 */
function typed(entity: unknown, typename: string): unknown {
  if (typeof entity !== 'object' || entity === null) return entity
  // The lines above show that it is an object.
  const own = (entity as Partial<Reference>).__typename
  if (own === typename) return entity
  if ('__typename' in entity) return { ...entity, __typename: typename }
  return Object.defineProperty(entity, '__typename', { value: typename })
}

/** Returns an error for a frozen object, so that only this entity fails. */
function typedOrError(entity: unknown, typename: string): unknown {
  try {
    return typed(entity, typename)
  } catch (error) {
    return error
  }
}
