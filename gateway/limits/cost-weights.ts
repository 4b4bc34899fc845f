import { type ConstDirectiveNode, type ConstValueNode, type DocumentNode, Kind, valueFromASTUntyped } from 'graphql'
import { ownValue } from '../../platform/collections/lookup-table.ts'

/** Length of the list that a field returns. */
export type ListSize = {
  /** Length without a slicing argument; absent when the schema has none. */
  readonly assumed?: number
  /** Arguments that determine the length, as paths: `first` or `input.first`. */
  readonly slicing: readonly string[]
  /** Fields of the returned object with this length; empty: the field itself. */
  readonly sized: readonly string[]
}

/**
 * Weights for elements without directives: points per leaf and per object, and items per list of
 * unknown length.
 */
export type DefaultWeights = { readonly scalar: number; readonly object: number; readonly listFactor: number }

/**
 * Profiles of default weights in common use. `dear-objects` is for graphs with one query per
 * object.
 */
export const COST_PROFILES = {
  default: { scalar: 1, object: 2, listFactor: 10 },
  'dear-objects': { scalar: 1, object: 10, listFactor: 10 },
} as const satisfies Readonly<Record<string, DefaultWeights>>

/** Measured points of a type; unlike `@cost` they may be fractions. */
export type MeasuredCost = {
  /** Per object; absent: not measured. */
  readonly object?: number
  /** Per leaf field; absent: not measured. */
  readonly leaf?: number
  /** Per statement that loads the objects of one field, regardless of the number of parents. */
  readonly batch?: number
}

/**
 * Weights from `@cost`, `@listSize` and `@measuredCost`, by `Type`, `Type.field` or
 * `Type.field(argument)`; `measured` is by type.
 */
export type CostWeights = {
  readonly defaults: DefaultWeights
  readonly costs: ReadonlyMap<string, number>
  readonly listSizes: ReadonlyMap<string, ListSize>
  readonly measured: ReadonlyMap<string, MeasuredCost>
}

/** Reads weights from a supergraph SDL, because the API schema has no directives. */
export function readCostWeights(supergraph: DocumentNode, defaults: DefaultWeights = COST_PROFILES.default): CostWeights {
  const costs = new Map<string, number>()
  const listSizes = new Map<string, ListSize>()
  const measured = new Map<string, MeasuredCost>()

  function read(key: string, directives: readonly ConstDirectiveNode[] | undefined): void {
    const weight = Number(argumentsOf(directives, 'cost')?.weight)
    if (Number.isFinite(weight)) costs.set(key, weight)
    const size = argumentsOf(directives, 'listSize')
    if (size) {
      const assumed = Number(size.assumedSize)
      listSizes.set(key, {
        ...(size.assumedSize !== undefined && Number.isFinite(assumed) && { assumed }),
        slicing: namesIn(size.slicingArguments),
        sized: namesIn(size.sizedFields),
      })
    }
  }

  for (const definition of supergraph.definitions) {
    if (!('name' in definition) || !definition.name || !('directives' in definition)) continue
    if (definition.kind === Kind.DIRECTIVE_DEFINITION || definition.kind === Kind.OPERATION_DEFINITION) continue
    const type = definition.name.value
    if (isTypeDefinition(definition.kind)) {
      // Directives in a schema have constant arguments (GraphQL §2.12).
      const directives = definition.directives as readonly ConstDirectiveNode[]
      read(type, directives)
      const points = argumentsOf(directives, 'measuredCost')
      if (points) measured.set(type, { ...numberIn(points, 'object'), ...numberIn(points, 'leaf'), ...numberIn(points, 'batch') })
    }
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue
    for (const field of definition.fields ?? []) {
      const path = `${type}.${field.name.value}`
      read(path, field.directives)
      for (const argument of field.arguments ?? []) read(`${path}(${argument.name.value})`, argument.directives)
    }
  }
  return { defaults, costs, listSizes, measured }
}

/** A number argument by name; nothing when it is absent, not a number or negative. */
function numberIn<Name extends string>(
  given: Readonly<Record<string, unknown>>,
  name: Name,
): { readonly [Key in Name]?: number } {
  const value = Number(ownValue(given, name) ?? Number.NaN)
  // TypeScript widens a computed key to string.
  return Number.isFinite(value) && value >= 0 ? ({ [name]: value } as { readonly [Key in Name]: number }) : {}
}

const isTypeDefinition = (kind: string): boolean => kind.endsWith('TypeDefinition')

/**
 * Arguments of a directive, also under its prefixed name in a supergraph that links it without
 * import.
 */
function argumentsOf(
  directives: readonly ConstDirectiveNode[] | undefined,
  name: string,
): Readonly<Record<string, unknown>> | undefined {
  const directive = directives?.find((candidate) => [name, `cost__${name}`, `federation__${name}`].includes(candidate.name.value))
  if (!directive) return undefined
  return Object.fromEntries((directive.arguments ?? []).map((argument) => [argument.name.value, plain(argument.value)]))
}

const plain = (value: ConstValueNode): unknown => valueFromASTUntyped(value)

const namesIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : []
