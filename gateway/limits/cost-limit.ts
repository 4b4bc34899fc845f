import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
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
import {
  type CoercedVariables,
  type Count,
  conditional,
  hasTerms,
  noTerms,
  perTypeIn,
  pointsOf,
  type Sums,
  type Terms,
  total,
} from './cost-terms.ts'
import type { CostWeights, ListSize } from './cost-weights.ts'
import { BOUNDS } from './limits.ts'
import { lengthOf, listSizeByConvention, type PageSize, pageSizesOf } from './list-length.ts'

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
  readonly pageFault: (variables: CoercedVariables) => PageFault | null
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
  const pages: PageSize[] = []
  const root = schema.getRootType(operation.operation)
  const { each, once } = root
    ? compileSelectionCost({ schema, weights, document, pages }, operation.selectionSet, root)
    : { each: () => 0, once: () => 0 }

  return {
    cost: (variables) => wholePoints(each(variables) + once(variables)),
    pageFault(variables) {
      for (const { argument, size } of pages) {
        const value = size(variables)
        if (typeof value === 'number' && !(value >= 0 && value <= BOUNDS.pageSize)) return { argument, value }
      }
      return null
    },
  }
}

/** Whole points, never below 0: clients read integers. */
export const wholePoints = (points: number): number => Math.max(0, Math.ceil(points))

/** What selections are counted with. */
export type CostContext = {
  readonly schema: GraphQLSchema
  readonly weights: CostWeights
  /** The document of the selection, with its fragments. */
  readonly document: DocumentNode
  /** Gets the page sizes that arguments ask for. */
  readonly pages: PageSize[]
  /** Called with the length of each field with a selection; its path has `@` for items of lists. */
  readonly onLength?: (path: string, length: Count) => void
}

/** Points of a selection: for each object that it is on, and once for all of them. */
export type SelectionCost = { readonly each: Count; readonly once: Count }

/** Compiles the counting of a selection on an object of type `parent` at `path`. */
export function compileSelectionCost(
  { schema, weights, document, pages, onLength }: CostContext,
  selectionSet: SelectionSetNode,
  parent: GraphQLCompositeType,
  path = '',
): SelectionCost {
  const { listFactor } = weights.defaults
  const { fragments } = documentIndex(document)
  const once = noTerms()
  const each = sumOf(selectionSet, parent, { sizes: null, once, path })
  return { each, once: (variables) => total(once, variables) }

  /** What all objects of `parent` have in common, and the dearest of what only some have. */
  function sumOf(selectionSet: SelectionSetNode, parent: GraphQLCompositeType, { sizes, once, path }: Surroundings): Count {
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
          const count = fieldCount(selection, type, { sizes, once, path })
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

  function fieldCount(node: FieldNode, parent: GraphQLCompositeType, { sizes, once, path: above }: Surroundings): Count | number {
    const name = node.name.value
    // Introspection besides other fields is counted like any object; __typename is free.
    if (name === '__typename') return 0
    const field = fieldOf(schema, parent, name)
    if (!field) return 0
    const path = `${parent.name}.${name}`
    const named = getNamedType(field.type)
    const isList = isListType(getNullableType(field.type))

    const weight = weights.costs.get(path) ?? weights.costs.get(named.name) ?? defaultWeight(weights, parent, named)
    once.constant += weights.measured.get(named.name)?.batch ?? 0
    let argumentPoints = 0
    for (const { name } of node.arguments ?? []) argumentPoints += weights.costs.get(`${path}(${name.value})`) ?? 0

    // Most fields: whatever the variables are, they cost the same.
    if (!isList && !node.selectionSet) return argumentPoints + weight

    const own = weights.listSizes.get(path) ?? listSizeByConvention(field, isList)
    const pageSizes = own ? pageSizesOf(own, node, field) : []
    pages.push(...pageSizes)
    const stated = own && lengthOf(pageSizes, own.assumed ?? listFactor)
    const ownSize = !isList
      ? () => 1
      : (sizes?.of(name) ?? (own && own.sized.length === 0 ? stated : undefined) ?? (() => listFactor))
    const below: Sizes | null = own && stated && (own.sized.length > 0 || !isList) ? { of: sizedBy(own, stated) } : null
    const pathBelow = onLength ? `${above}.${(node.alias ?? node.name).value}${'.@'.repeat(listDepth(field.type))}` : ''
    onLength?.(pathBelow, ownSize)
    const children =
      node.selectionSet && isCompositeType(named)
        ? sumOf(node.selectionSet, named, { sizes: below, once, path: pathBelow })
        : () => 0
    return (variables) => argumentPoints + ownSize(variables) * (weight + children(variables))
  }
}

function listDepth(type: GraphQLOutputType): number {
  const inner = getNullableType(type)
  return isListType(inner) ? 1 + listDepth(inner.ofType) : 0
}

/** Lengths that a field states for lists directly below it. */
type Sizes = { readonly of: (fieldName: string) => Count | undefined }

/** What a selection is counted in: the lengths stated for its lists, where batches count, its path. */
type Surroundings = { readonly sizes: Sizes | null; readonly once: Terms; readonly path: string }

const sizedBy = (listSize: ListSize, size: Count) => (fieldName: string) =>
  listSize.sized.length === 0 || listSize.sized.includes(fieldName) ? size : undefined

export function defaultWeight(
  { defaults, measured }: CostWeights,
  parent: GraphQLCompositeType,
  named: GraphQLNamedType,
): number {
  return isLeafType(named)
    ? (measured.get(parent.name)?.leaf ?? defaults.scalar)
    : (measured.get(named.name)?.object ?? defaults.object)
}

export function fieldOf(
  schema: GraphQLSchema,
  parent: GraphQLCompositeType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if ('getFields' in parent && Object.hasOwn(parent.getFields(), name)) return parent.getFields()[name]
  if (parent !== schema.getQueryType()) return undefined
  return [SchemaMetaFieldDef, TypeMetaFieldDef].find((field) => field.name === name)
}

/** Whether `@skip` and `@include` leave a selection in; null where they do not stand. */
function conditionOf({ directives = [] }: SelectionNode): ((variables: CoercedVariables) => boolean) | null {
  const conditions = directives.filter(({ name }) => name.value === 'skip' || name.value === 'include')
  if (conditions.length === 0) return null
  return (variables) =>
    conditions.every(({ name, arguments: given }) => {
      const value = given?.[0] && valueFromASTUntyped(given[0].value, variables)
      return value !== (name.value === 'skip')
    })
}
