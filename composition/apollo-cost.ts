import { type GraphQLField, type GraphQLNamedType, getNamedType, getNullableType, isLeafType, isListType } from 'graphql'
import type { ComplexityEstimator } from 'graphql-query-complexity'
import type { CostWeights } from '../gateway/limits/cost-weights.ts'
import { ownValue } from '../platform/collections/lookup-table.ts'

/** Default slicing arguments, equal to those of gateway/limits/cost-limit.ts. */
const SLICING_BY_CONVENTION = ['first', 'last', 'limit']

/**
 * The gateway's cost weights as an estimator for graphql-query-complexity, for comparison. For
 * documents without lists the rounded sums are equal. Differences: the library does not pass the
 * parent field to an estimator, so items of a connection count with the list factor instead of the
 * page size; and of fragments on several types it adds the batches of the most expensive one, where
 * the gateway adds all.
 */
export function complexityEstimator({ costs, listSizes, defaults, measured }: CostWeights): ComplexityEstimator {
  return ({ type, field, args, childComplexity }) => {
    if (field.name === '__typename') return 0
    const path = `${type.name}.${field.name}`
    const named = getNamedType(field.type)
    const weight = costs.get(path) ?? costs.get(named.name) ?? defaultWeight(type.name, named)
    const batch = measured.get(named.name)?.batch ?? 0
    let argumentPoints = 0
    for (const name of Object.keys(args)) argumentPoints += costs.get(`${path}(${name})`) ?? 0
    const length = isListType(getNullableType(field.type)) ? lengthOf(path, field, args) : 1
    return argumentPoints + batch + length * (weight + childComplexity)
  }

  function defaultWeight(parent: string, named: GraphQLNamedType): number {
    if (isLeafType(named)) return measured.get(parent)?.leaf ?? defaults.scalar
    return measured.get(named.name)?.object ?? defaults.object
  }

  function lengthOf(path: string, field: GraphQLField<unknown, unknown>, args: Readonly<Record<string, unknown>>): number {
    const size = listSizes.get(path)
    const slicing = size?.slicing ?? field.args.map(({ name }) => name).filter((name) => SLICING_BY_CONVENTION.includes(name))
    const stated = slicing.map((name) => ownValue(args, name)).filter((value) => typeof value === 'number')
    return stated.length > 0 ? Math.max(...stated) : (size?.assumed ?? defaults.listFactor)
  }
}
