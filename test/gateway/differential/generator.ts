import {
  type ArgumentNode,
  type DirectiveNode,
  doTypesOverlap,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  Kind,
  OperationTypeNode,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
  validate,
} from 'graphql'
import { randomOf } from './random.ts'
import { createValues, nameNode } from './random-values.ts'
import type { Case } from './small-graph.ts'

/** Which fields an operation may ask for. */
export type Choice = {
  readonly api: GraphQLSchema
  readonly isLeftOut: (type: string, field: string) => boolean
  /** Fields that are asked without arguments. */
  readonly isShared: (type: string, field: string) => boolean
  /** Whether nothing may be under a condition that leaves it out. */
  readonly hasRequirements: boolean
  /**
   * Names of fields that plans need by themselves, which other fields may have in an answer all the
   * same.
   */
  readonly needed: ReadonlySet<string>
  /** The share of operations that are mutations; a tenth when absent. */
  readonly mutations?: number
}

/**
 * How names in an answer are chosen: freely, which may conflict; the same for what is the same; or
 * all different.
 */
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

function attempt(
  seed: string,
  { api, isLeftOut, isShared, hasRequirements, needed, mutations = 0.1 }: Choice,
  naming: Naming,
): Case {
  const random = randomOf(seed)
  const aliases = [...ALIASES, ...needed]
  const fragments: FragmentDefinitionNode[] = []
  const values = createValues(random)
  let left = SIZE
  let names = 0

  const kind = api.getMutationType() && random.chance(mutations) ? OperationTypeNode.MUTATION : OperationTypeNode.QUERY
  const root = api.getRootType(kind)
  if (!root) throw new Error('Expected a root type.')
  const selectionSet = selections(root, 0)
  const operation = {
    kind: Kind.OPERATION_DEFINITION,
    operation: kind,
    name: nameNode('Random'),
    variableDefinitions: values.definitions(),
    directives: [],
    selectionSet,
  } as const
  return {
    name: seed,
    query: print({ kind: Kind.DOCUMENT, definitions: [operation, ...fragments] }),
    variables: values.given,
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
    // Where everything is under a condition, the planner may take that for a condition of what is
    // around it.
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
    const args = isShared(type.name, field.name) ? [] : values.argumentsFor(field)
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
      // What is left out all the time tells little; the planner does not always see that a constant
      // leaves something out.
      const isIncluded = hasRequirements || random.chance(0.7)
      const isOn = (name === 'include') === isIncluded
      const value: ValueNode =
        isIncluded && random.chance(0.3) ? { kind: Kind.BOOLEAN, value: isOn } : values.booleanVariable(isOn)
      return [{ kind: Kind.DIRECTIVE, name: nameNode(name), arguments: [{ kind: Kind.ARGUMENT, name: nameNode('if'), value }] }]
    })
  }
}
