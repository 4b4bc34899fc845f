import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from 'graphql'
import { documentIndex } from '../operations/document-index.ts'
import type { CostWeights, ListSize } from './cost-weights.ts'
import { BOUNDS } from './limits.ts'

/** Slicing arguments by convention, for schemas that do not use `@listSize`. */
const SLICING_BY_CONVENTION = ['first', 'last', 'limit']

type Variables = Readonly<Record<string, unknown>>
type Count = (variables: Variables) => number

/** Points to add up: most do not depend on variables, and need no function each. */
type Terms = { constant: number; readonly counts: Count[] }

const noTerms = (): Terms => ({ constant: 0, counts: [] })
const hasTerms = ({ constant, counts }: Terms): boolean => constant !== 0 || counts.length > 0

/**
 * Where points are added up: those that all objects have, those of the objects of a type, and those
 * that count once, however many objects there are.
 */
type Sums = { readonly common: Terms; readonly of: (type: string) => Terms; readonly once: Terms }

const perTypeIn =
  (known: Map<string, Terms>, make: (type: string) => Terms): Sums['of'] =>
  (type) => {
    const terms = known.get(type) ?? make(type)
    known.set(type, terms)
    return terms
  }

const pointsOf = (count: Count | number, variables: Variables): number => (typeof count === 'number' ? count : count(variables))

function total({ constant, counts }: Terms, variables: Variables): number {
  let points = constant
  for (const count of counts) points += count(variables)
  return points
}

/** A page size outside the bounds. */
export type PageFault = { readonly argument: string; readonly value: number }

export type CostModel = {
  /**
   * Points of the operation with these coerced variables, never below 0: those of every leaf and
   * every object (`@cost` replaces either, and adds for arguments), times the length of the lists
   * it is in. Of fragments on several object types the dearest counts, for an object has one type.
   * `@measuredCost` replaces the points of a type; those of its `batch` count once per field.
   */
  readonly cost: Count
  /**
   * The first page size that is out of bounds; null when all are fine. Ask before counting: a
   * negative size would buy points.
   */
  readonly pageFault: (variables: Variables) => PageFault | null
}

/**
 * Compiles the counting of one operation, so that a request only evaluates it with its variables.
 * `document` must be valid against `schema` and within the bound of fields after spreading.
 */
export function compileCostModel(
  schema: GraphQLSchema,
  weights: CostWeights,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CostModel {
  const { scalar, object, listFactor } = weights.defaults
  const { fragments } = documentIndex(document)
  const pages: { readonly argument: string; readonly size: (variables: Variables) => unknown }[] = []
  const root = schema.getRootType(operation.operation)
  const once = noTerms()
  const points = root ? sumOf(operation.selectionSet, root, { sizes: null, once }) : () => 0

  return {
    // Whole points: clients read integers.
    cost: (variables) => Math.max(0, Math.ceil(points(variables) + total(once, variables))),
    pageFault(variables) {
      for (const { argument, size } of pages) {
        const value = size(variables)
        if (typeof value === 'number' && !(value >= 0 && value <= BOUNDS.pageSize)) return { argument, value }
      }
      return null
    },
  }

  /** What all objects of `parent` have in common, and the dearest of what only some have. */
  function sumOf(selectionSet: SelectionSetNode, parent: GraphQLCompositeType, { sizes, once }: Surroundings): Count {
    const common = noTerms()
    const perType = new Map<string, Terms>()
    collect(selectionSet, parent, { common, of: perTypeIn(perType, noTerms), once })
    const alternatives = [...perType.values()]
    return (variables) => {
      let dearest = 0
      for (const terms of alternatives) dearest = Math.max(dearest, total(terms, variables))
      return total(common, variables) + dearest
    }

    function collect({ selections }: SelectionSetNode, type: GraphQLCompositeType, into: Sums): void {
      for (const selection of selections) {
        const isOn = conditionOf(selection)
        const once = isOn ? noTerms() : into.once
        if (selection.kind === Kind.FIELD) {
          const count = fieldCount(selection, type, { sizes, once })
          if (isOn) into.common.counts.push((variables) => (isOn(variables) ? pointsOf(count, variables) : 0))
          else if (typeof count === 'number') into.common.constant += count
          else into.common.counts.push(count)
        } else {
          const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
          if (!fragment) continue
          const sums = isOn ? conditional(isOn, { ...into, once }) : into
          const condition = fragment.typeCondition ? schema.getType(fragment.typeCondition.name.value) : type
          const inside = isCompositeType(condition) ? condition : type
          const isOfSome = isAbstractType(type) && isObjectType(inside)
          collect(fragment.selectionSet, inside, isOfSome ? { ...sums, common: sums.of(inside.name) } : sums)
        }
        if (isOn && hasTerms(once)) into.once.counts.push((variables) => (isOn(variables) ? total(once, variables) : 0))
      }
    }
  }

  function fieldCount(node: FieldNode, parent: GraphQLCompositeType, { sizes, once }: Surroundings): Count | number {
    const name = node.name.value
    // Introspection besides other fields is counted like any object; __typename is free.
    if (name === '__typename') return 0
    const field = fieldOf(schema, parent, name)
    if (!field) return 0
    const path = `${parent.name}.${name}`
    const named = getNamedType(field.type)
    const isList = isListType(getNullableType(field.type))

    const weight = weights.costs.get(path) ?? weights.costs.get(named.name) ?? defaultWeight(parent, named)
    once.constant += weights.measured.get(named.name)?.batch ?? 0
    let argumentPoints = 0
    for (const { name } of node.arguments ?? []) argumentPoints += weights.costs.get(`${path}(${name.value})`) ?? 0

    // Most fields: whatever the variables are, they cost the same.
    if (!isList && !node.selectionSet) return argumentPoints + weight

    const own = weights.listSizes.get(path) ?? byConvention(field, isList)
    const stated = own && sizeBy(own, node, field)
    const ownSize = !isList
      ? () => 1
      : (sizes?.of(name) ?? (own && own.sized.length === 0 ? stated : undefined) ?? (() => listFactor))
    const below: Sizes | null = own && stated && (own.sized.length > 0 || !isList) ? { of: sizedBy(own, stated) } : null
    const children =
      node.selectionSet && isCompositeType(named) ? sumOf(node.selectionSet, named, { sizes: below, once }) : () => 0
    return (variables) => argumentPoints + ownSize(variables) * (weight + children(variables))
  }

  function defaultWeight(parent: GraphQLCompositeType, named: GraphQLNamedType): number {
    const { measured } = weights
    return isLeafType(named) ? (measured.get(parent.name)?.leaf ?? scalar) : (measured.get(named.name)?.object ?? object)
  }

  /**
   * The length that the arguments ask for: the largest of them, else what the schema assumes.
   * Remembers each as a page size to check.
   */
  function sizeBy(listSize: ListSize, node: FieldNode, field: GraphQLField<unknown, unknown>): Count {
    const readers = listSize.slicing.map((argument) => {
      const size = argumentReader(argument.split('.'), node, field)
      pages.push({ argument, size })
      return size
    })
    const assumed = listSize.assumed ?? listFactor
    return (variables) => {
      let largest = -1
      for (const read of readers) {
        const value = read(variables)
        if (typeof value === 'number') largest = Math.max(largest, value)
      }
      return largest < 0 ? assumed : largest
    }
  }
}

/** Lengths that a field states for lists directly below it. */
type Sizes = { readonly of: (fieldName: string) => Count | undefined }

/** What a selection is counted in: the lengths stated for its lists, and where batches count. */
type Surroundings = { readonly sizes: Sizes | null; readonly once: Terms }

const sizedBy = (listSize: ListSize, size: Count) => (fieldName: string) =>
  listSize.sized.length === 0 || listSize.sized.includes(fieldName) ? size : undefined

function byConvention(field: GraphQLField<unknown, unknown>, isList: boolean): ListSize | undefined {
  const slicing = field.args
    .filter(({ name, type }) => SLICING_BY_CONVENTION.includes(name) && getNamedType(type).name === 'Int')
    .map(({ name }) => name)
  if (slicing.length === 0 || (!isList && !isCompositeType(getNamedType(field.type)))) return undefined
  return { slicing, sized: [] }
}

function fieldOf(schema: GraphQLSchema, parent: GraphQLCompositeType, name: string): GraphQLField<unknown, unknown> | undefined {
  if ('getFields' in parent && Object.hasOwn(parent.getFields(), name)) return parent.getFields()[name]
  if (parent !== schema.getQueryType()) return undefined
  return [SchemaMetaFieldDef, TypeMetaFieldDef].find((field) => field.name === name)
}

/** Reads the argument at `path`, with variables and default values. */
function argumentReader(
  [name = '', ...inside]: readonly string[],
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
): (variables: Variables) => unknown {
  const fallback = field.args.find((argument) => argument.name === name)?.defaultValue
  const given = node.arguments?.find((argument) => argument.name.value === name)?.value
  if (!given) return () => dig(fallback, inside)
  return (variables) => {
    // An absent variable leaves the argument to its default; null does not.
    if (given.kind === Kind.VARIABLE && !Object.hasOwn(variables, given.name.value)) return dig(fallback, inside)
    return dig(valueFromASTUntyped(given, variables), inside)
  }
}

const dig = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined), value)

/** Whether `@skip` and `@include` leave a selection in; null where they do not stand. */
function conditionOf({ directives = [] }: SelectionNode): ((variables: Variables) => boolean) | null {
  const conditions = directives.filter(({ name }) => name.value === 'skip' || name.value === 'include')
  if (conditions.length === 0) return null
  return (variables) =>
    conditions.every(({ name, arguments: given }) => {
      const value = given?.[0] && valueFromASTUntyped(given[0].value, variables)
      return value !== (name.value === 'skip')
    })
}

/**
 * Sums of a fragment that count in `sums` only where `isOn` holds. Evaluated once per fragment,
 * however deeply such fragments nest.
 */
function conditional(isOn: (variables: Variables) => boolean, sums: Sums): Sums {
  const within = (outer: Terms): Terms => {
    const own = noTerms()
    outer.counts.push((variables) => (isOn(variables) ? total(own, variables) : 0))
    return own
  }
  return { ...sums, common: within(sums.common), of: perTypeIn(new Map(), (type) => within(sums.of(type))) }
}
