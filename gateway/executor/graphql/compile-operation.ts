import {
  assertValidSchema,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import { collectFields } from 'graphql/execution/collectFields.js'
import { coercion } from '../../operations/variables.ts'
import { conditionKey } from './conditions.ts'
import type { Listener, Pending } from './operation-run.ts'
import { addError, type OperationRun } from './operation-run.ts'
import { PENDING } from './pending.ts'
import { cacheSelectionPlan, selectionPlansOf } from './plan-cache.ts'
import { executeSerially, executeTogether } from './root-fields.ts'
import type { Operation, Selection } from './selection.ts'
import { selectionOf } from './selection-plan.ts'

/**
 * Runs a compiled operation. The answer is that of graphql-js' `execute`, to the order of keys and errors; at once when no resolver makes it wait. Once `signal` is
 * aborted no further resolver is called: fields that were not begun have its reason as their error. Never rejects.
 */
export type CompiledOperation = (run: {
  readonly rootValue?: unknown
  readonly contextValue: unknown
  readonly variableValues: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal
}) => ExecutionResult | Promise<ExecutionResult>

/** What graphql-js reports at most. */
const COERCION_ERRORS = { maxErrors: 50 }

/**
 * Compiles one operation of a valid document once, so that a request only runs it. Never generates source text: a client's text can end up in it. What is asked of
 * each type is worked out when a value of that type first appears. Throws when the schema is invalid, and nothing that a valid document can cause: an operation that
 * does not exist, or that the schema has no root for, is answered by `execute`.
 */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): CompiledOperation {
  assertValidSchema(schema)
  const node = operationOf(document, operationName)
  const rootType = node && schema.getRootType(node.operation)
  if (!node || !rootType) {
    return ({ rootValue, contextValue, variableValues }) =>
      execute({ schema, document, operationName, rootValue, contextValue, variableValues })
  }

  const operation: Operation = { schema, node, fragments: fragmentsOf(document) }
  const coerce = coercion(schema, node.variableDefinitions ?? [], COERCION_ERRORS)
  const keyOf = conditionKey(document)
  const begin = node.operation === 'mutation' ? executeSerially : executeTogether

  const selectionFor = (variableValues: OperationRun['variableValues']): Selection => {
    const plans = selectionPlansOf(operation)
    const key = keyOf(variableValues)
    const known = plans.get(key)
    if (known) return known
    const { fragments } = operation
    const collected = collectFields(schema, fragments, variableValues, rootType, node.selectionSet)
    const selection = selectionOf(operation, rootType, collected)
    cacheSelectionPlan(plans, key, selection)
    return selection
  }

  return ({ rootValue, contextValue, variableValues, signal }) => {
    const { coerced, errors } = coerce(variableValues)
    if (errors) return { errors }
    const run: OperationRun = {
      operation,
      rootValue,
      contextValue,
      variableValues: coerced,
      signal,
      errors: [],
      nulled: null,
      pending: undefined,
      isExact: false,
    }
    try {
      const data = begin(run, selectionFor(coerced), rootValue)
      return data === PENDING ? whenSettled(run) : resultOf(run, data as Data)
    } catch (error) {
      return failure(run, error)
    }
  }
}

function whenSettled(run: OperationRun): Promise<ExecutionResult> {
  const pending = run.pending as Pending
  return new Promise((resolve) => {
    const listener: Listener = (isFailed, outcome) => resolve(isFailed ? failure(run, outcome) : resultOf(run, outcome as Data))
    pending.listener = listener
  })
}

type Data = Record<string, unknown>

const resultOf = ({ errors }: OperationRun, data: Data): ExecutionResult => (errors.length === 0 ? { data } : { errors, data })

function failure(run: OperationRun, error: unknown): ExecutionResult {
  addError(run, error as GraphQLError, undefined)
  return { errors: run.errors, data: null }
}

function operationOf({ definitions }: DocumentNode, name: string | undefined): OperationDefinitionNode | undefined {
  const operations = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  if (name === undefined) return operations.length === 1 ? operations[0] : undefined
  return operations.findLast((operation) => operation.name?.value === name)
}

function fragmentsOf({ definitions }: DocumentNode): Record<string, FragmentDefinitionNode> {
  const fragments = Object.create(null)
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition
  }
  return fragments
}
