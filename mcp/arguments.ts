import {
  type DocumentNode,
  type GraphQLEnumType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  TypeInfo,
  typeFromAST,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { z } from 'zod'
import { operationOf } from './names.ts'
import { type Bound, scalarArgument } from './scalars.ts'

/** Converts an enum value of the schema to its wire name. */
export type Spelling = (type: string, value: string) => string

/** Strict: unknown arguments are errors, because a misspelled one would have no effect. */
export const argumentsOf = <Shape extends z.core.$ZodShape>(shape: Shape) => z.strictObject(shape)

/**
 * Argument schema of a tool: the variables of its operation, with the descriptions of the arguments
 * and input fields that use them.
 */
export function variablesSchema(
  document: DocumentNode,
  schema: GraphQLSchema,
  spelling: Spelling,
  bounds: Readonly<Record<string, Bound | undefined>>,
): z.ZodObject {
  const meanings = descriptionsOf(document, schema)
  const shape: Record<string, z.ZodType> = {}
  for (const { variable, type: node, defaultValue } of operationOf(document).node.variableDefinitions ?? []) {
    const name = variable.name.value
    // The overloads of `typeFromAST` accept each node kind but not their union.
    const type = typeFromAST(schema, node as Parameters<typeof typeFromAST>[1])
    if (!isInputType(type)) throw new Error(`Expected the variable $${name} to have an input type of the graph.`)
    const bound = bounds[name] ?? {}
    const value = inputSchema(type, spelling, bound)
    const described = defaultValue ? value.prefault(asWire(type, valueFromASTUntyped(defaultValue), spelling)) : value
    const meaning = bound.description ?? meanings.get(name)
    shape[name] =
      bound.namesSuffice && meaning ? described.describe(meaning) : describeArgument(described, type, meaning, spelling)
  }
  return argumentsOf(shape)
}

/** Schema of an input value. Its messages complete "Expected `argument` to be …". */
function inputSchema(type: GraphQLInputType, spelling: Spelling, bound: Bound): z.ZodType {
  if (!isNonNullType(type)) return nonNull(type, spelling, bound).nullish()
  return nonNull(type.ofType, spelling, bound)
}

function nonNull(type: GraphQLInputType, spelling: Spelling, bound: Bound): z.ZodType {
  if (isNonNullType(type)) return nonNull(type.ofType, spelling, bound)
  if (isListType(type)) {
    const maxElements = bound.max ?? MAX_LIST_ELEMENTS
    const error = `a list of at most ${maxElements} elements`
    return z.array(inputSchema(type.ofType, spelling, {}), { error }).max(maxElements, { error })
  }
  if (isEnumType(type)) return enumSchema(type, spelling)
  if (!isInputObjectType(type)) return scalarArgument(type.name, bound)
  const fields = Object.values(type.getFields()).map((field) => {
    const value = inputSchema(field.type, spelling, {})
    // Defaults are only documented: the graph applies them to absent fields.
    const { defaultValue } = field
    const described =
      defaultValue === undefined ? value : value.optional().meta({ default: asWire(field.type, defaultValue, spelling) })
    return [field.name, describeArgument(described, field.type, field.description, spelling)] as const
  })
  return z.strictObject(Object.fromEntries(fields), { error: 'an object' })
}

/** Default upper bound of a list's length. */
const MAX_LIST_ELEMENTS = 100

function enumSchema(type: GraphQLEnumType, spelling: Spelling): z.ZodType {
  const values = new Map(type.getValues().map(({ name }) => [spelling(type.name, name), name]))
  const words = [...values.keys()]
  return z.enum(words, { error: `one of ${words.join(', ')}` }).transform((word) => values.get(word))
}

/** Converts a default value to wire names: only enum values differ. */
function asWire(type: GraphQLInputType, value: unknown, spelling: Spelling): unknown {
  const named = getNamedType(type)
  return isEnumType(named) && typeof value === 'string' ? spelling(named.name, value) : value
}

/** Adds the description, and for an enum that of each value. */
function describeArgument(
  value: z.ZodType,
  type: GraphQLInputType,
  meaning: string | null | undefined,
  spelling: Spelling,
): z.ZodType {
  const named = getNamedType(type)
  const words = isEnumType(named)
    ? named
        .getValues()
        .flatMap(({ name, description }) => (description ? `\`${spelling(named.name, name)}\`: ${description}` : []))
    : []
  const text = [meaning ?? '', ...words].filter(Boolean).join(' ')
  return text === '' ? value : value.describe(text)
}

/** Description by variable: that of the first argument or input field that uses it. */
function descriptionsOf(document: DocumentNode, schema: GraphQLSchema): ReadonlyMap<string, string> {
  const meanings = new Map<string, string>()
  const typeInfo = new TypeInfo(schema)
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Argument({ value }) {
        const meaning = typeInfo.getArgument()?.description
        if (value.kind === Kind.VARIABLE && meaning && !meanings.has(value.name.value)) meanings.set(value.name.value, meaning)
      },
      ObjectField({ name, value }) {
        const input = getNamedType(typeInfo.getParentInputType() ?? undefined)
        const meaning = isInputObjectType(input) ? input.getFields()[name.value]?.description : null
        if (value.kind === Kind.VARIABLE && meaning && !meanings.has(value.name.value)) meanings.set(value.name.value, meaning)
      },
    }),
  )
  return meanings
}
