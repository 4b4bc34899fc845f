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

/** A page size out of bounds. */
export type PageFault = { readonly argument: string; readonly value: number }

export type CostModel = {
  /**
   * Cost in points for coerced variables, at least 0: points of every leaf and object (`@cost`
   * replaces them, and adds points for arguments), times the lengths of enclosing lists. Of
   * fragments on several object types the most expensive counts, because an object has one type.
   * `@measuredCost` replaces the points of a type; its `batch` counts once per field.
   */
  readonly cost: Count
  /**
   * First page size out of bounds; null when all are valid. Check before `cost`, because a negative
   * size would reduce it.
   */
  readonly pageFault: (variables: CoercedVariables) => PageFault | null
}

/**
 * Compiles the cost of an operation into a function of its variables. `document` must be valid for
 * `schema`, and within the limit of fields after spreading.
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

/** Rounds up to whole points, at least 0, because clients expect integers. */
export const wholePoints = (points: number): number => Math.max(0, Math.ceil(points))

/** Context for the cost of selections. */
export type CostContext = {
  readonly schema: GraphQLSchema
  readonly weights: CostWeights
  /** Document that contains the selection's fragments. */
  readonly document: DocumentNode
  /** Collects page size arguments. */
  readonly pages: PageSize[]
  /** Called with the length of each field with a selection; paths have `@` for list items. */
  readonly onLength?: (path: string, length: Count) => void
}

/** Cost of a selection: points per object, and points once for all objects. */
export type SelectionCost = { readonly each: Count; readonly once: Count }

/** Compiles the cost of a selection on type `parent` at `path`. */
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

  /**
   * Points that all objects of `parent` have in common, plus the most expensive type-specific part.
   */
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
    // `__schema` and `__type` beside other fields count like any object; `__typename` is free.
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

    // The usual case: a constant that does not depend on variables.
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

/** Lengths of lists directly below a field, from `@listSize(sizedFields:)`. */
type Sizes = { readonly of: (fieldName: string) => Count | undefined }

/** Context of a selection: lengths for its lists, where batch points are added, and its path. */
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

/** Compiles `@skip` and `@include` of a selection; null without them. */
function conditionOf({ directives = [] }: SelectionNode): ((variables: CoercedVariables) => boolean) | null {
  const conditions = directives.filter(({ name }) => name.value === 'skip' || name.value === 'include')
  if (conditions.length === 0) return null
  return (variables) =>
    conditions.every(({ name, arguments: given }) => {
      const value = given?.[0] && valueFromASTUntyped(given[0].value, variables)
      return value !== (name.value === 'skip')
    })
}
