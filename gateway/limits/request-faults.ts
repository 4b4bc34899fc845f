import { type GraphQLFormattedError, type GraphQLSchema, getVariableValues, type OperationDefinitionNode } from 'graphql'
import { refusal } from '../errors.ts'
import type { CostModel } from './cost.ts'
import { BOUNDS, type Limits } from './limits.ts'

/** Errors about variables are quoted; more of them help nobody. */
const MAX_VARIABLE_ERRORS = 20

/** What is wrong with an operation once its variables are known; empty when it may run. Cost is counted last, on values that are in range. */
export function requestFaults(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  model: CostModel,
  variables: Readonly<Record<string, unknown>>,
  limits: Limits,
): readonly GraphQLFormattedError[] {
  if (isDeeperThan(variables, BOUNDS.variableDepth)) {
    return [refusal('BAD_USER_INPUT', `Expected variables nested at most ${BOUNDS.variableDepth} deep.`)]
  }
  const { errors, coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
    maxErrors: MAX_VARIABLE_ERRORS,
  })
  if (errors) return errors.map(({ message }) => refusal('BAD_USER_INPUT', message))

  const page = model.pageFault(coerced)
  if (page) {
    const message = `Expected "${page.argument}" between 0 and ${BOUNDS.pageSize}, got ${page.value}.`
    return [refusal('PAGE_SIZE_OUT_OF_RANGE', message, { argument: page.argument })]
  }
  if (limits.cost === 0) return []
  const cost = model.cost(coerced)
  if (cost <= limits.cost) return []
  const message = `Expected a cost of at most ${limits.cost}, got ${cost}: ask for shorter pages or fewer fields.`
  return [refusal('COST_LIMIT_EXCEEDED', message, { cost, limit: limits.cost })]
}

/** What an operation counts with these variables, in points; 0 where they are wrong. */
export function requestCost(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  model: CostModel,
  variables: Readonly<Record<string, unknown>>,
): number {
  if (isDeeperThan(variables, BOUNDS.variableDepth)) return 0
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, { maxErrors: 1 })
  return coerced && !model.pageFault(coerced) ? model.cost(coerced) : 0
}

/** Stops at the limit, so hostile nesting costs no stack. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels < 0) return true
  for (const inner of Object.values(value)) if (isDeeperThan(inner, levels - 1)) return true
  return false
}
