import { type ConstDirectiveNode, type ConstValueNode, type DocumentNode, Kind, valueFromASTUntyped } from 'graphql'
import { ownValue } from '../../platform/collections/lookup-table.ts'

/** How long the list is that a field leads to. */
export type ListSize = {
  /** Items when no slicing argument is given; absent when the schema does not say. */
  readonly assumed?: number
  /** Arguments that set the length, as paths: `first` or `input.first`. */
  readonly slicing: readonly string[]
  /** The fields of the answer whose length this is; empty: the field itself. */
  readonly sized: readonly string[]
}

/**
 * What counts where the schema says nothing: points of a leaf and of an object, and items of a list
 * of unknown length.
 */
export type DefaultWeights = { readonly scalar: number; readonly object: number; readonly listFactor: number }

/**
 * The two sets of default weights that are in use elsewhere. `dear-objects` is for graphs whose
 * objects each take a query of their own.
 */
export const COST_PROFILES = {
  default: { scalar: 1, object: 2, listFactor: 10 },
  'dear-objects': { scalar: 1, object: 10, listFactor: 10 },
} as const satisfies Readonly<Record<string, DefaultWeights>>

/** Points of a type whose cost was measured, in fractions, which `@cost` does not have. */
export type MeasuredCost = {
  /** Of each object; absent: as if nothing was measured. */
  readonly object?: number
  /** Of each leaf field of an object; absent: as if nothing was measured. */
  readonly leaf?: number
  /** Of the statement that loads the objects of one field, however many parents it is selected on. */
  readonly batch?: number
}

/**
 * What a supergraph says about cost with `@cost`, `@listSize` and `@measuredCost`; keys are `Type`,
 * `Type.field` and `Type.field(argument)`, of `measured` those of types.
 */
export type CostWeights = {
  readonly defaults: DefaultWeights
  readonly costs: ReadonlyMap<string, number>
  readonly listSizes: ReadonlyMap<string, ListSize>
  readonly measured: ReadonlyMap<string, MeasuredCost>
}

/** Reads the weights out of a supergraph's SDL: the API schema that clients see has lost them. */
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
      // Directives of a schema have constant arguments (GraphQL §2.12).
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

/** The argument by its name; nothing where it is absent, no number or below 0. */
function numberIn<Name extends string>(
  given: Readonly<Record<string, unknown>>,
  name: Name,
): { readonly [Key in Name]?: number } {
  const value = Number(ownValue(given, name) ?? Number.NaN)
  // A computed key widens to string.
  return Number.isFinite(value) && value >= 0 ? ({ [name]: value } as { readonly [Key in Name]: number }) : {}
}

const isTypeDefinition = (kind: string): boolean => kind.endsWith('TypeDefinition')

/**
 * Arguments of the directive, also under the names that it has when a supergraph links it without
 * importing it.
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
