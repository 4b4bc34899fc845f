import { GraphQLBoolean, GraphQLFloat, GraphQLID, GraphQLInt, type GraphQLNamedType, GraphQLString } from 'graphql'

/** Checks of built-in scalars by section 3.5 of the specification. Values of other scalars are passed on as they are, unless nobody could write them. */
export const CHECKS: ReadonlyMap<GraphQLNamedType['name'], (value: unknown) => boolean> = new Map([
  [GraphQLInt.name, (value) => Number.isInteger(value) && (value as number) === ((value as number) | 0)],
  [GraphQLFloat.name, (value) => Number.isFinite(value)],
  [GraphQLString.name, (value) => typeof value === 'string'],
  [GraphQLBoolean.name, (value) => typeof value === 'boolean'],
])

/** What a subgraph in this process has checked already, and every client may see. */
export const SIMPLE: ReadonlySet<string> = new Set([...CHECKS.keys(), GraphQLID.name])

/** Whether a value is one of these names. */
export function enumTest(names: readonly string[]): (value: unknown) => boolean {
  const known = new Set<unknown>(names)
  return (value) => known.has(value)
}
