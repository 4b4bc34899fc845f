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

/** What graphql-js' `getVariableValues` makes of the values that a client sent. */
export type Coerce = (given: Values) => ReturnType<typeof getVariableValues>

/**
 * What graphql-js would leave as it is; a list becomes another one. `UNKNOWN` for everything else.
 */
type Plain = (value: unknown) => unknown

const UNKNOWN = Symbol('unknown')

/**
 * Prepares the coercion of an operation's variables; `maxErrors` bounds the reported errors. Values
 * that already have the form of their types, as those of most clients have, are only checked; all
 * others, and all errors, are left to graphql-js.
 */
export function compileCoercion(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  options: { readonly maxErrors: number },
): Coerce {
  const variables = definitions.map(({ variable, type, defaultValue }) => ({
    name: variable.name.value,
    isWithDefault: defaultValue !== undefined,
    // Its declarations have no overload for a type that may be any.
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

/** What a scalar has that says nothing about its values, such as `_Any`. */
const { parseValue: TAKES_ALL } = new GraphQLScalarType({ name: 'All' })

/**
 * The specification's scalars, and how they take values of their own form: as they are. Programs do
 * replace that; theirs counts then.
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
