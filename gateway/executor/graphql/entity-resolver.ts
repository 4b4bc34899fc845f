import { type GraphQLField, type GraphQLFieldResolver, type GraphQLResolveInfo, type GraphQLSchema, isObjectType } from 'graphql'

type Reference = Readonly<Record<string, unknown>> & { readonly __typename: string }

/** The extensions that `@apollo/subgraph` sets on a type with `__resolveReference`. */
type Extensions = {
  readonly apollo?: {
    readonly subgraph?: {
      readonly resolveReference?: (reference: Reference, context: unknown, info: GraphQLResolveInfo) => unknown
    }
  }
}

/**
 * The resolver of a field. The `_entities` resolver of `@apollo/subgraph` is replaced by one
 * without a promise per entity; entity interfaces still go to the library's.
 */
export function resolverOf(
  definition: GraphQLField<unknown, unknown>,
  schema: GraphQLSchema,
): GraphQLFieldResolver<unknown, unknown> | undefined {
  const { resolve, name } = definition
  if (!resolve || name !== '_entities' || !String(resolve).includes('entitiesResolver')) return resolve
  return (source, args, context, info) => {
    // The type of the argument is [_Any!]!, of representations.
    const references = args.representations as readonly Reference[]
    const finders = references.map(({ __typename }) => finderOf(schema, __typename))
    if (finders.includes(null)) return resolve(source, args, context, info)
    return references.map((reference, index) => {
      const find = finders[index]
      const found = find ? find(reference, context, info) : reference
      // Any object may have a `then`: a thenable of another realm or library.
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
  // Written by @apollo/subgraph, untyped.
  return (type.extensions as Extensions).apollo?.subgraph?.resolveReference
}

/**
 * An entity with its type name, for `_Entity`. As in the library, its own object is not changed.
 */
function typed(entity: unknown, typename: string): unknown {
  if (typeof entity !== 'object' || entity === null) return entity
  // The caller checked that it is an object.
  const own = (entity as Partial<Reference>).__typename
  if (own === typename) return entity
  if ('__typename' in entity) return { ...entity, __typename: typename }
  return Object.defineProperty(entity, '__typename', { value: typename })
}

/** A frozen object is an error of its own entity only. */
function typedOrError(entity: unknown, typename: string): unknown {
  try {
    return typed(entity, typename)
  } catch (error) {
    return error
  }
}
