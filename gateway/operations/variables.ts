import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLScalarType,
  type GraphQLSchema,
  GraphQLString,
  getVariableValues,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql'

type Values = Readonly<Record<string, unknown>>

/** Coerces client variables, with the result of graphql-js's `getVariableValues`. */
export type Coerce = (given: Values) => ReturnType<typeof getVariableValues>

/**
 * Returns a value that needs no coercion, copying lists; `UNKNOWN` when graphql-js must coerce it.
 */
type Plain = (value: unknown) => unknown

const UNKNOWN = Symbol('unknown')

/**
 * Compiles the coercion of variables. Values that already have the type's form are only checked, as
 * for most clients; graphql-js handles all others, and all errors (at most `maxErrors`).
 */
export function compileCoercion(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  options: { readonly maxErrors: number },
): Coerce {
  const variables = definitions.map(({ variable, type, defaultValue }) => ({
    name: variable.name.value,
    isWithDefault: defaultValue !== undefined,
    // `typeFromAST` has no overload for the union of its node types.
    ...plainOf(typeFromAST(schema, type as never)),
  }))
  return (given) => {
    const coerced: Record<string, unknown> = {}
    for (const { name, plain, isNonNull, isWithDefault } of variables) {
      if (!Object.hasOwn(given, name)) {
        if (isNonNull || isWithDefault) return getVariableValues(schema, definitions, given, options)
        continue
      }
      const value = plain(given[name])
      if (value === UNKNOWN) return getVariableValues(schema, definitions, given, options)
      coerced[name] = value
    }
    return { coerced }
  }
}

function plainOf(type: unknown): { readonly plain: Plain; readonly isNonNull: boolean } {
  if (!isInputType(type)) return { plain: () => UNKNOWN, isNonNull: true }
  const isNonNull = isNonNullType(type)
  const value = isListType(isNonNull ? type.ofType : type) ? plainList(isNonNull ? type.ofType : type) : null
  const inner = value ?? plainLeaf(isNonNull ? type.ofType : type)
  return { isNonNull, plain: isNonNull ? inner : (given) => (given === null ? null : inner(given)) }
}

function plainList(type: GraphQLInputType): Plain {
  const { plain } = plainOf(isListType(type) ? type.ofType : type)
  return (given) => {
    if (!Array.isArray(given)) return UNKNOWN
    const items: unknown[] = new Array(given.length)
    for (let index = 0; index < given.length; index++) {
      const item = plain(given[index])
      if (item === UNKNOWN) return UNKNOWN
      items[index] = item
    }
    return items
  }
}

/** Default `parseValue` of custom scalars such as `_Any`, which accepts every value. */
const { parseValue: TAKES_ALL } = new GraphQLScalarType({ name: 'All' })

/**
 * Original `parseValue` of built-in scalars. Programs can replace it; the replacement is then used.
 */
const SPECIFIED = new Map<unknown, unknown>(
  [GraphQLString, GraphQLID, GraphQLInt, GraphQLFloat, GraphQLBoolean].map((type) => [type, type.parseValue]),
)

function plainLeaf(type: GraphQLInputType): Plain {
  if (!(type instanceof GraphQLScalarType)) return () => UNKNOWN
  if (type.parseValue === TAKES_ALL) return (given) => (given === undefined || given === null ? UNKNOWN : given)
  if (SPECIFIED.get(type) !== type.parseValue) return () => UNKNOWN
  if (type === GraphQLBoolean) return (given) => (typeof given === 'boolean' ? given : UNKNOWN)
  if (type === GraphQLInt) return (given) => (typeof given === 'number' && (given | 0) === given ? given : UNKNOWN)
  if (type === GraphQLFloat) return (given) => (typeof given === 'number' && Number.isFinite(given) ? given : UNKNOWN)
  return (given) => (typeof given === 'string' ? given : UNKNOWN)
}
