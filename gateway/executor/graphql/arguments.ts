import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  getArgumentValues,
  isEnumType,
  isLeafType,
  isNonNullType,
  isSpecifiedScalarType,
  Kind,
  valueFromAST,
} from 'graphql'

type Values = Readonly<Record<string, unknown>>

/** Coerces the arguments of one resolver call into a new object. Throws what graphql-js throws. */
export type ArgumentsOf = (variableValues: Values) => Record<string, unknown>

/** Source of an argument's value: a constant (literal or default) or a variable. */
type Origin =
  | { readonly name: string; readonly value: unknown }
  | { readonly name: string; readonly variable: string; readonly isNonNull: boolean }

/**
 * Compiles the coercion of a field's arguments; undefined for a field without any. Handles scalar
 * literals and plain variables; graphql-js coerces the rest, and every error, on each call.
 */
export function argumentsOf(definition: GraphQLField<unknown, unknown>, node: FieldNode): ArgumentsOf | undefined {
  if (definition.args.length === 0) return undefined
  const coerced: ArgumentsOf = (variableValues) => getArgumentValues(definition, node, variableValues)

  const origins: Origin[] = []
  for (const argument of definition.args) {
    const origin = originOf(argument, node)
    if (origin === 'unprepared') return coerced
    if (origin !== 'absent') origins.push(origin)
  }
  if (origins.every((origin) => 'value' in origin)) {
    const values = Object.fromEntries(origins.map(({ name, value }) => [name, value]))
    return () => ({ ...values })
  }
  return (variableValues) => {
    const values: Record<string, unknown> = {}
    for (const origin of origins) {
      if ('value' in origin) {
        values[origin.name] = origin.value
        continue
      }
      const value = Object.hasOwn(variableValues, origin.variable) ? variableValues[origin.variable] : undefined
      // graphql-js handles an absent variable: default, no value, or an error.
      if (value === undefined || (value === null && origin.isNonNull)) return coerced(variableValues)
      values[origin.name] = value
    }
    return values
  }
}

function originOf(
  { name, type, defaultValue }: GraphQLArgument,
  { arguments: nodes }: FieldNode,
): Origin | 'absent' | 'unprepared' {
  if (name === '__proto__') return 'unprepared'
  const isNonNull = isNonNullType(type)
  const node = nodes?.findLast((argument) => argument.name.value === name)?.value
  if (!node) {
    if (defaultValue !== undefined) return { name, value: defaultValue }
    return isNonNull ? 'unprepared' : 'absent'
  }
  if (node.kind === Kind.VARIABLE) return { name, variable: node.name.value, isNonNull }
  if (node.kind === Kind.NULL) return isNonNull ? 'unprepared' : { name, value: null }

  // Lists and objects must be new per call; custom scalars parse per call.
  const leaf = isNonNull ? type.ofType : type
  if (!isLeafType(leaf) || !(isEnumType(leaf) || isSpecifiedScalarType(leaf))) return 'unprepared'
  const value = valueFromAST(node, leaf)
  return value === undefined ? 'unprepared' : { name, value }
}
