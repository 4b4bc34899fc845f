import { GraphQLError, type GraphQLObjectType, isObjectType } from 'graphql'
import { inspect } from 'graphql/jsutils/inspect.js'
import type { OperationRun } from './operation-run.ts'
import type { CompletionOf, Field } from './selection.ts'

/** Object type of a value of an abstract type. Throws the same errors as graphql-js. */
export function runtimeType(
  { operation: { schema } }: OperationRun,
  { definition, parentType, nodes }: Field,
  { type }: CompletionOf<'abstract'>,
  name: unknown,
  value: unknown,
): GraphQLObjectType {
  const coordinate = `field "${parentType.name}.${definition.name}"`
  if (name === null || name === undefined) {
    throw new GraphQLError(
      `Abstract type "${type.name}" must resolve to an Object type at runtime for ${coordinate}. Either the "${type.name}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`,
      { nodes },
    )
  }
  if (isObjectType(name)) {
    throw new GraphQLError(
      'Support for returning GraphQLObjectType from resolveType was removed in graphql-js@16.0.0 please return type name instead.',
    )
  }
  if (typeof name !== 'string') {
    throw new GraphQLError(
      `Abstract type "${type.name}" must resolve to an Object type at runtime for ${coordinate} with value ${inspect(value)}, received "${inspect(name)}".`,
    )
  }
  const found = schema.getType(name)
  if (!found) {
    throw new GraphQLError(
      `Abstract type "${type.name}" was resolved to a type "${name}" that does not exist inside the schema.`,
      { nodes },
    )
  }
  if (!isObjectType(found)) {
    throw new GraphQLError(`Abstract type "${type.name}" was resolved to a non-object type "${name}".`, { nodes })
  }
  if (!schema.isSubType(type, found)) {
    throw new GraphQLError(`Runtime Object type "${found.name}" is not a possible type for "${type.name}".`, { nodes })
  }
  return found
}
