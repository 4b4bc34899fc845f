import {
  type ArgumentNode,
  astFromValue,
  type ConstValueNode,
  type GraphQLArgument,
  GraphQLBoolean,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  GraphQLNonNull,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
  type NameNode,
  parseType,
  type TypeNode,
  type ValueNode,
  type VariableDefinitionNode,
} from 'graphql'
import type { Random } from './random.ts'

/** Values for an operation: literals, and variables with what a client sends for them. */
export type RandomValues = {
  readonly argumentsFor: (field: GraphQLField<unknown, unknown>) => readonly ArgumentNode[]
  /** A variable that is `isOn`, given or by default. */
  readonly booleanVariable: (isOn: boolean) => ValueNode
  /** Every variable so far. */
  readonly definitions: () => readonly VariableDefinitionNode[]
  readonly given: Readonly<Record<string, unknown>>
}

export function createValues(random: Random): RandomValues {
  const variables: VariableDefinitionNode[] = []
  const given: Record<string, unknown> = {}
  return { argumentsFor, booleanVariable, definitions: () => variables, given }

  function booleanVariable(isOn: boolean): ValueNode {
    const isByDefault = random.chance(0.4)
    const defaultValue: ConstValueNode = { kind: Kind.BOOLEAN, value: isByDefault ? isOn : !isOn }
    const hasDefault = isByDefault || random.chance(0.3)
    const type = hasDefault && random.chance(0.5) ? 'Boolean' : 'Boolean!'
    return variable(type, isByDefault ? undefined : isOn, hasDefault ? defaultValue : undefined)
  }

  function variable(type: string, value: unknown, defaultValue?: ConstValueNode): ValueNode {
    const name = `v${variables.length}`
    const definition: VariableDefinitionNode = {
      kind: Kind.VARIABLE_DEFINITION,
      variable: { kind: Kind.VARIABLE, name: nameNode(name) },
      type: parseType(type) as TypeNode,
      ...(defaultValue && { defaultValue }),
      directives: [],
    }
    variables.push(definition)
    if (value !== undefined) given[name] = value
    return { kind: Kind.VARIABLE, name: nameNode(name) }
  }

  function argumentsFor(field: GraphQLField<unknown, unknown>): readonly ArgumentNode[] {
    return field.args.flatMap((argument): ArgumentNode[] => {
      const isOptional = !isNonNullType(argument.type) || argument.defaultValue !== undefined
      if (isOptional && random.chance(0.5)) return []
      return [{ kind: Kind.ARGUMENT, name: nameNode(argument.name), value: valueNode(argument.type, argument, 0) }]
    })
  }

  /** A literal or a variable for a place of this type. */
  function valueNode(type: GraphQLInputType, place: GraphQLArgument | GraphQLInputField | null, depth: number): ValueNode {
    if (place && random.chance(depth === 0 ? 0.4 : 0.15)) return variableFor(type, place)
    if (!isNonNullType(type) && random.chance(0.12)) return { kind: Kind.NULL }
    const nullable = getNullableType(type)
    if (isListType(nullable)) {
      if (random.chance(0.15)) return valueNode(nullable.ofType, null, depth + 1)
      const values = Array.from({ length: random.whole(3) }, () => valueNode(nullable.ofType, null, depth + 1))
      return { kind: Kind.LIST, values }
    }
    if (isInputObjectType(nullable)) {
      const fields = Object.values(nullable.getFields()).flatMap((field) => {
        const isOptional = !isNonNullType(field.type) || field.defaultValue !== undefined
        if (isOptional && (depth > 2 || random.chance(0.5))) return []
        return [{ kind: Kind.OBJECT_FIELD, name: nameNode(field.name), value: valueNode(field.type, field, depth + 1) } as const]
      })
      return { kind: Kind.OBJECT, fields }
    }
    return literal(jsonFor(type, depth), nullable)
  }

  function literal(value: unknown, type: GraphQLInputType): ValueNode {
    if (value === null) return { kind: Kind.NULL }
    const known = isEnumType(type) || isLeafType(type) ? quietly(() => astFromValue(value, type)) : null
    return known ?? parsedValue(value)
  }

  function variableFor(type: GraphQLInputType, place: GraphQLArgument | GraphQLInputField): ValueNode {
    const nullable = getNullableType(type)
    const hasPlaceDefault = place.defaultValue !== undefined
    // A nullable variable may stand where a value is promised if either of them has a default.
    const defaultValue = random.chance(0.35) ? constantFor(nullable) : undefined
    const mayBeNullable = !isNonNullType(type) || hasPlaceDefault || defaultValue !== undefined
    const isNullable = mayBeNullable && random.chance(0.8)
    const mayBeAbsent = isNullable || defaultValue !== undefined
    if (mayBeAbsent && random.chance(0.35))
      return variable(String(isNullable ? nullable : new GraphQLNonNull(nullable)), undefined, defaultValue)
    // Null is for where the place can be null; in place of a promise it is an error of the field,
    // which is tested elsewhere.
    const value = isNullable && !isNonNullType(type) && random.chance(0.2) ? null : jsonFor(new GraphQLNonNull(nullable), 0)
    return variable(String(isNullable ? nullable : new GraphQLNonNull(nullable)), value, defaultValue)
  }

  function constantFor(type: GraphQLInputType): ConstValueNode {
    return parsedConstant(presentFor(type, 1), type)
  }

  /** A value as a client sends it in variables. */
  function jsonFor(type: GraphQLInputType, depth: number): unknown {
    if (isNonNullType(type)) return presentFor(type.ofType, depth)
    return random.chance(0.15) ? null : presentFor(type, depth)
  }

  function presentFor(type: GraphQLInputType, depth: number): unknown {
    if (isNonNullType(type)) return presentFor(type.ofType, depth)
    if (isListType(type)) {
      if (random.chance(0.15)) return jsonFor(new GraphQLNonNull(getNullableType(type.ofType)), depth + 1)
      return Array.from({ length: random.whole(3) }, () => jsonFor(type.ofType, depth + 1))
    }
    if (isInputObjectType(type)) {
      return Object.fromEntries(
        Object.values(type.getFields()).flatMap((field) => {
          const isOptional = !isNonNullType(field.type) || field.defaultValue !== undefined
          return isOptional && (depth > 2 || random.chance(0.5)) ? [] : [[field.name, jsonFor(field.type, depth + 1)]]
        }),
      )
    }
    if (isEnumType(type)) return random.pick(type.getValues()).name
    if (type.name === 'Int') return random.pick([1, 2, 7, 50])
    if (type.name === 'Float') return random.pick([0.5, 1, 20])
    if (type.name === 'Boolean' || type === GraphQLBoolean) return random.chance(0.5)
    if (type.name === 'String' || type.name === 'ID') return random.pick(['', 'x', 'é"\\\n', '12'])
    return random.pick<unknown>([0, 'text', [1, null], { x: { y: null } }])
  }
}

export const nameNode = (value: string): NameNode => ({ kind: Kind.NAME, value })

function quietly<Value>(work: () => Value): Value | null {
  try {
    return work()
  } catch {
    return null
  }
}

/** A value as a literal of a scalar that takes anything. */
function parsedValue(value: unknown): ConstValueNode {
  if (value === null) return { kind: Kind.NULL }
  if (Array.isArray(value)) return { kind: Kind.LIST, values: value.map(parsedValue) }
  if (typeof value === 'object') {
    return {
      kind: Kind.OBJECT,
      fields: Object.entries(value).map(([name, inner]) => ({
        kind: Kind.OBJECT_FIELD,
        name: nameNode(name),
        value: parsedValue(inner),
      })),
    }
  }
  if (typeof value === 'number') return { kind: Number.isInteger(value) ? Kind.INT : Kind.FLOAT, value: String(value) }
  if (typeof value === 'boolean') return { kind: Kind.BOOLEAN, value }
  return { kind: Kind.STRING, value: String(value) }
}

/** A value of a type as a literal: names of enum values are no texts. */
function parsedConstant(value: unknown, type: GraphQLInputType): ConstValueNode {
  const nullable = getNullableType(type)
  if (value === null || value === undefined) return { kind: Kind.NULL }
  if (isListType(nullable)) {
    return Array.isArray(value)
      ? { kind: Kind.LIST, values: value.map((element) => parsedConstant(element, nullable.ofType)) }
      : parsedConstant(value, nullable.ofType)
  }
  if (isInputObjectType(nullable) && typeof value === 'object') {
    const fields = Object.entries(value).map(([name, inner]) => ({
      kind: Kind.OBJECT_FIELD as const,
      name: nameNode(name),
      value: parsedConstant(inner, nullable.getFields()[name]?.type ?? nullable),
    }))
    return { kind: Kind.OBJECT, fields }
  }
  return isEnumType(nullable) ? { kind: Kind.ENUM, value: String(value) } : parsedValue(value)
}
