import { type GraphQLField, type GraphQLFieldResolver, type GraphQLResolveInfo, type GraphQLSchema, isObjectType } from 'graphql'

type Reference = Readonly<Record<string, unknown>> & { readonly __typename: string }

/** What `@apollo/subgraph` keeps at a type that has `__resolveReference`. */
type Extensions = {
  readonly apollo?: {
    readonly subgraph?: {
      readonly resolveReference?: (reference: Reference, context: unknown, info: GraphQLResolveInfo) => unknown
    }
  }
}

/**
 * The resolver of a field; of `_entities`, where it is that of `@apollo/subgraph`, one that finds the same without a promise for each entity. Entities of
 * interfaces are left to the library.
 */
export function resolverOf(
  definition: GraphQLField<unknown, unknown>,
  schema: GraphQLSchema,
): GraphQLFieldResolver<unknown, unknown> | undefined {
  const { resolve, name } = definition
  if (!resolve || name !== '_entities' || !String(resolve).includes('entitiesResolver')) return resolve
  return (source, given, context, info) => {
    const references = given.representations as readonly Reference[]
    const finders = references.map(({ __typename }) => finderOf(schema, __typename))
    if (finders.includes(null)) return resolve(source, given, context, info)
    return references.map((reference, index) => {
      const find = finders[index]
      const found = find ? find(reference, context, info) : reference
      return found instanceof Promise || typeof (found as Partial<PromiseLike<unknown>> | null)?.then === 'function'
        ? Promise.resolve(found).then((entity) => typed(entity, reference.__typename))
        : typedAtOnce(found, reference.__typename)
    })
  }
}

/** What finds entities of a type: undefined where a reference is the entity, null where only the library knows. */
function finderOf(schema: GraphQLSchema, typename: string) {
  const type = schema.getType(typename)
  if (!isObjectType(type)) return null
  return (type.extensions as Extensions).apollo?.subgraph?.resolveReference
}

/** An entity with its type, which `_Entity` is asked for. As in the library, an object that says to be of another type is not changed. */
function typed(entity: unknown, typename: string): unknown {
  if (typeof entity !== 'object' || entity === null) return entity
  const told = (entity as Partial<Reference>).__typename
  if (told === typename) return entity
  if ('__typename' in entity) return { ...entity, __typename: typename }
  return Object.defineProperty(entity, '__typename', { value: typename })
}

/** An object that cannot be changed is an error at its own place, and not of all. */
function typedAtOnce(entity: unknown, typename: string): unknown {
  try {
    return typed(entity, typename)
  } catch (error) {
    return error
  }
}
