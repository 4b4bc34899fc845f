import { GraphQLBoolean, GraphQLFloat, GraphQLID, GraphQLInt, type GraphQLNamedType, GraphQLString } from 'graphql'

/**
 * Checks of built-in scalars (GraphQL §3.5). Custom scalars are not checked, except for the nesting
 * limit.
 */
export const CHECKS: ReadonlyMap<GraphQLNamedType['name'], (value: unknown) => boolean> = new Map([
  [GraphQLInt.name, (value) => typeof value === 'number' && value === (value | 0)],
  [GraphQLFloat.name, (value) => Number.isFinite(value)],
  [GraphQLString.name, (value) => typeof value === 'string'],
  [GraphQLBoolean.name, (value) => typeof value === 'boolean'],
])

/** Scalars that local subgraphs have serialized already, so they need no completion. */
export const SIMPLE: ReadonlySet<string> = new Set([...CHECKS.keys(), GraphQLID.name])

/** Tests whether a value is one of these enum values. */
export function enumTest(names: readonly string[]): (value: unknown) => boolean {
  const values = new Set<unknown>(names)
  return (value) => values.has(value)
}
