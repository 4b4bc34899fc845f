import {
  type ArgumentNode,
  astFromValue,
  type ConstValueNode,
  type DirectiveNode,
  doTypesOverlap,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  GraphQLBoolean,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type NameNode,
  type OperationDefinitionNode,
  parse,
  parseType,
  print,
  type SelectionNode,
  type SelectionSetNode,
  type TypeNode,
  type ValueNode,
  type VariableDefinitionNode,
  validate,
} from 'graphql'
import { randomOf } from './random.ts'
import type { Case } from './small-graph.ts'

/** Which fields an operation may ask for. */
export type Choice = {
  readonly api: GraphQLSchema
  readonly isLeftOut: (type: string, field: string) => boolean
  /** Fields that are asked without arguments. */
  readonly isShared: (type: string, field: string) => boolean
  /** Whether nothing may be under a condition that leaves it out. */
  readonly hasRequirements: boolean
  /** Names that no other field may have in an answer: the planner would take it for the field of that name; see `deviations.ts`. */
  readonly needed: ReadonlySet<string>
}

/** How names in an answer are chosen: freely, which may conflict; the same for what is the same; or all different. */
type Naming = 'free' | 'by what is asked' | 'all different'

const SIZE = 40
const DEPTH = 5
const ALIASES = ['a', 'b', 'it', 'name', 'size', 'constructor', '__proto__', 'toString', 'hasOwnProperty', 'length']

/** A valid operation and its variables, the same for the same seed and schema. */
export function operationOf(seed: number | string, choice: Choice): Case {
  for (const naming of ['free', 'free', 'by what is asked', 'all different'] as const) {
    const operation = attempt(`${seed} ${naming}`, choice, naming)
    const errors = validate(choice.api, parse(operation.query))
    if (errors.length === 0) return operation
    if (naming === 'all different')
      throw new Error(`Expected a valid operation of seed ${seed}, got:\n${operation.query}\n${errors.join('\n')}`)
  }
  throw new Error('Unreachable.')
}

function attempt(seed: string, { api, isLeftOut, isShared, hasRequirements, needed }: Choice, naming: Naming): Case {
  const random = randomOf(seed)
  const aliases = ALIASES.filter((name) => !needed.has(name))
  const fragments: FragmentDefinitionNode[] = []
  const variables = new Map<string, { definition: VariableDefinitionNode; type: string }>()
  const given: Record<string, unknown> = {}
  let left = SIZE
  let names = 0

  const kind = api.getMutationType() && random.chance(0.1) ? 'mutation' : 'query'
  const root = api.getRootType(kind as OperationDefinitionNode['operation'])
  if (!root) throw new Error('Expected a root type.')
  const selectionSet = selections(root, 0)
  const operation = {
    kind: Kind.OPERATION_DEFINITION,
    operation: kind as OperationDefinitionNode['operation'],
    name: nameNode('Random'),
    variableDefinitions: [...variables.values()].map(({ definition }) => definition),
    directives: [],
    selectionSet,
  } as const
  const used = new Set<string>()
  collectSpreads(selectionSet)
  return {
    name: seed,
    query: print({ kind: Kind.DOCUMENT, definitions: [operation, ...fragments.filter(({ name }) => used.has(name.value))] }),
    variables: given,
  }

  function collectSpreads({ selections: inner }: SelectionSetNode): void {
    for (const selection of inner) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (used.has(selection.name.value)) continue
        used.add(selection.name.value)
        const fragment = fragments.find(({ name }) => name.value === selection.name.value)
        if (fragment) collectSpreads(fragment.selectionSet)
      } else if (selection.selectionSet) collectSpreads(selection.selectionSet)
    }
  }

  function selections(type: GraphQLCompositeType, depth: number): SelectionSetNode {
    const chosen: SelectionNode[] = []
    const wanted = 1 + random.whole(depth === 0 ? 4 : 5)
    for (let index = 0; index < wanted && (left > 0 || chosen.length === 0); index++) {
      const first = chosen[0]
      // The same again, with the same arguments.
      if (first && random.chance(0.12)) chosen.push(random.pick(chosen))
      else chosen.push(selection(type, depth))
    }
    // Where everything is under a condition, the planner may take that for a condition of what is around it.
    const isAlwaysSomething = chosen.some((one) => one.kind === Kind.FIELD && !one.directives?.length)
    if (!isAlwaysSomething) chosen.push({ kind: Kind.FIELD, name: nameNode('__typename') })
    return { kind: Kind.SELECTION_SET, selections: chosen }
  }

  function selection(type: GraphQLCompositeType, depth: number): SelectionNode {
    left--
    const fields = fieldsOf(type, depth)
    if (left > 0 && depth > 0 && depth <= DEPTH + 1 && (fields.length === 0 || random.chance(isAbstractType(type) ? 0.5 : 0.15)))
      return fragment(type, depth)
    if (fields.length === 0 || random.chance(0.08)) return typename()
    const field = random.pick(fields)
    const args = isShared(type.name, field.name) ? [] : argumentsFor(field)
    const inner = getNamedType(field.type)
    const alias = aliasFor(type, field, args)
    return {
      kind: Kind.FIELD,
      ...(alias !== null && { alias: nameNode(alias) }),
      name: nameNode(field.name),
      arguments: args,
      directives: conditions(),
      ...(isCompositeType(inner) && { selectionSet: selections(inner, depth + 1) }),
    }
  }

  function fieldsOf(type: GraphQLCompositeType, depth: number): readonly GraphQLField<unknown, unknown>[] {
    if (!isObjectType(type) && !isInterfaceType(type)) return []
    const owners = isObjectType(type) ? [type.name] : [type.name, ...api.getPossibleTypes(type).map(({ name }) => name)]
    const all = Object.values(type.getFields()).filter(({ name }) => !owners.some((owner) => isLeftOut(owner, name)))
    const leaves = all.filter((field) => isLeafType(getNamedType(field.type)))
    return depth >= DEPTH || left <= 0 ? leaves : all
  }

  function typename(): FieldNode {
    const alias = random.chance(0.3) ? { alias: nameNode(naming === 'free' ? random.pick(aliases) : `type${names++}`) } : {}
    return { kind: Kind.FIELD, ...alias, name: nameNode('__typename'), arguments: [], directives: conditions() }
  }

  function aliasFor(type: GraphQLNamedType, field: GraphQLField<unknown, unknown>, args: readonly ArgumentNode[]): string | null {
    if (naming === 'all different') return `n${names++}`
    const isPlain = args.length === 0
    if (naming === 'by what is asked') {
      const text = `${type.name}_${field.name}${args.map((argument) => print(argument)).join()}`
      return isPlain && !random.chance(0.2) ? null : `${text.replace(/\W+/g, '_')}_${names++}`
    }
    return random.chance(isPlain ? 0.15 : 0.35) ? random.pick(aliases) : null
  }

  function fragment(type: GraphQLCompositeType, depth: number): SelectionNode {
    const overlapping = Object.values(api.getTypeMap()).filter(
      (other): other is GraphQLCompositeType =>
        isCompositeType(other) && !other.name.startsWith('__') && doTypesOverlap(api, type, other),
    )
    const known = fragments.filter(({ typeCondition }) => overlapping.some(({ name }) => name === typeCondition.name.value))
    if (known.length > 0 && random.chance(0.3)) return spread(random.pick(known))
    // Fragments on abstract types inside of each other soon exclude every type.
    const concrete = overlapping.filter((other) => isObjectType(other))
    const condition = random.pick(random.chance(0.75) ? concrete : overlapping)
    if (random.chance(0.25)) {
      const definition = {
        kind: Kind.FRAGMENT_DEFINITION,
        name: nameNode(`F${names++}`),
        typeCondition: { kind: Kind.NAMED_TYPE, name: nameNode(condition.name) },
        directives: [],
        selectionSet: selections(condition, depth + 1),
      } as const
      // Only now, so that it cannot be spread inside of itself.
      fragments.push(definition)
      return spread(definition)
    }
    const isUnnamed = random.chance(0.2)
    return {
      kind: Kind.INLINE_FRAGMENT,
      ...(!isUnnamed && { typeCondition: { kind: Kind.NAMED_TYPE, name: nameNode(condition.name) } }),
      directives: conditions(),
      selectionSet: selections(isUnnamed ? type : condition, depth + 1),
    }
  }

  function spread({ name }: FragmentDefinitionNode): SelectionNode {
    return { kind: Kind.FRAGMENT_SPREAD, name, directives: conditions() }
  }

  function conditions(): readonly DirectiveNode[] {
    return ['skip', 'include'].flatMap((name): DirectiveNode[] => {
      if (!random.chance(0.06)) return []
      // What is left out all the time tells little; the planner does not always see that a constant leaves something out.
      const isIncluded = hasRequirements || random.chance(0.7)
      const isOn = (name === 'include') === isIncluded
      const value: ValueNode = isIncluded && random.chance(0.3) ? { kind: Kind.BOOLEAN, value: isOn } : booleanVariable(isOn)
      return [{ kind: Kind.DIRECTIVE, name: nameNode(name), arguments: [{ kind: Kind.ARGUMENT, name: nameNode('if'), value }] }]
    })
  }

  function booleanVariable(isOn: boolean): ValueNode {
    const isByDefault = random.chance(0.4)
    const defaultValue: ConstValueNode = { kind: Kind.BOOLEAN, value: isByDefault ? isOn : !isOn }
    const hasDefault = isByDefault || random.chance(0.3)
    const type = hasDefault && random.chance(0.5) ? 'Boolean' : 'Boolean!'
    return variable(type, isByDefault ? undefined : isOn, hasDefault ? defaultValue : undefined)
  }

  function variable(type: string, value: unknown, defaultValue?: ConstValueNode): ValueNode {
    const name = `v${variables.size}`
    const definition: VariableDefinitionNode = {
      kind: Kind.VARIABLE_DEFINITION,
      variable: { kind: Kind.VARIABLE, name: nameNode(name) },
      type: parseType(type) as TypeNode,
      ...(defaultValue && { defaultValue }),
      directives: [],
    }
    variables.set(name, { definition, type })
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
    // Null is for where the place can be null; in place of a promise it is an error of the field, which is tested elsewhere.
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

const nameNode = (value: string): NameNode => ({ kind: Kind.NAME, value })

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
