import {
  type DocumentNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { documentIndex } from '../operations/document-index.ts'
import { defaultWeight, fieldOf } from './cost-limit.ts'
import type { CostWeights } from './cost-weights.ts'

/** Cost of one response key. */
type CountedField = {
  /** Points of each value: of every list item, or of the single value. */
  weight: number
  /** Points of its arguments, once per object that it is selected on. */
  readonly argumentPoints: number
  /** Points that count once, regardless of the number of objects. */
  readonly batch: number
  readonly children: CountedFields | null
}
type CountedFields = Map<string, CountedField>

/**
 * Compiles the actual cost of a result, with the same weights as the estimate: every leaf and
 * object in the data, lists with their real length. A null field counts its arguments only.
 */
export function compileActualCost(
  schema: GraphQLSchema,
  weights: CostWeights,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): (data: Readonly<Record<string, unknown>> | null | undefined) => number {
  const { fragments } = documentIndex(document)
  const root = schema.getRootType(operation.operation)
  const fields: CountedFields = new Map()
  if (root) collect(operation.selectionSet, root, fields)

  return (data) => {
    const batches = new Set<CountedField>()
    let points = pointsOf(data, fields, batches)
    for (const { batch } of batches) points += batch
    // Rounded up to whole points, like the estimate.
    return Math.max(0, Math.ceil(points))
  }

  function collect({ selections }: SelectionSetNode, type: GraphQLCompositeType, into: CountedFields): void {
    for (const selection of selections) {
      if (selection.kind !== Kind.FIELD) {
        const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
        const condition = fragment?.typeCondition ? schema.getType(fragment.typeCondition.name.value) : type
        if (fragment) collect(fragment.selectionSet, isCompositeType(condition) ? condition : type, into)
        continue
      }
      const { name, alias, selectionSet, arguments: given = [] } = selection
      const field = name.value === '__typename' ? undefined : fieldOf(schema, type, name.value)
      if (!field) continue
      const path = `${type.name}.${name.value}`
      const named = getNamedType(field.type)
      const weight = weights.costs.get(path) ?? weights.costs.get(named.name) ?? defaultWeight(weights, type, named)
      const key = (alias ?? name).value
      const counted = into.get(key) ?? {
        weight,
        argumentPoints: given.reduce((sum, each) => sum + (weights.costs.get(`${path}(${each.name.value})`) ?? 0), 0),
        batch: weights.measured.get(named.name)?.batch ?? 0,
        children: selectionSet ? new Map() : null,
      }
      // Several types may have fields of this name: the most expensive one counts, as in the
      // estimate.
      counted.weight = Math.max(counted.weight, weight)
      into.set(key, counted)
      if (selectionSet && counted.children && isCompositeType(named)) collect(selectionSet, named, counted.children)
    }
  }
}

function pointsOf(value: unknown, fields: CountedFields, batches: Set<CountedField>): number {
  if (typeof value !== 'object' || value === null) return 0
  let points = 0
  for (const [key, inner] of Object.entries(value)) {
    const field = fields.get(key)
    if (!field) continue
    if (field.batch !== 0) batches.add(field)
    points += field.argumentPoints + valuePoints(inner, field, batches)
  }
  return points
}

function valuePoints(value: unknown, field: CountedField, batches: Set<CountedField>): number {
  if (value === null || value === undefined) return 0
  if (!Array.isArray(value)) return field.weight + (field.children ? pointsOf(value, field.children, batches) : 0)
  let points = 0
  for (const item of value) points += valuePoints(item, field, batches)
  return points
}
