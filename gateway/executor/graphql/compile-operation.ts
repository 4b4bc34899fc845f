import {
  assertValidSchema,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql'
import { collectFields } from 'graphql/execution/collectFields.js'
import { documentIndex } from '../../operations/document-index.ts'
import { compileCoercion } from '../../operations/variables.ts'
import { conditionKey } from './conditions.ts'
import type { Listener, Pending } from './operation-run.ts'
import { addError, type OperationRun } from './operation-run.ts'
import { PENDING } from './pending.ts'
import { cacheSelectionPlan, selectionPlansOf } from './plan-cache.ts'
import { executeSerially, executeTogether } from './root-fields.ts'
import type { Operation, Selection } from './selection.ts'
import { selectionOf } from './selection-plan.ts'

/**
 * Runs a compiled operation, with the result of graphql-js' `execute`, including the order of keys
 * and errors. Synchronous unless a resolver is asynchronous. After `signal` aborts, no resolver is
 * called: remaining fields have its reason as their error. Never rejects.
 */
export type CompiledOperation = (run: {
  readonly rootValue?: unknown
  readonly contextValue: unknown
  readonly variableValues: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal
}) => ExecutionResult | Promise<ExecutionResult>

/** Same limit as in graphql-js. */
const COERCION_ERRORS = { maxErrors: 50 }

/**
 * Compiles one operation of a valid document into closures. Never generates source text, which
 * could contain a client's text. Selections are planned when a value of their type first appears.
 * Throws for an invalid schema only: `execute` handles an unknown operation or a missing root type.
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
  const coerce = compileCoercion(schema, node.variableDefinitions ?? [], COERCION_ERRORS)
  const keyOf = conditionKey(document)
  const begin = node.operation === 'mutation' ? executeSerially : executeTogether

  const selectionFor = (variableValues: OperationRun['variableValues']): Selection => {
    const plans = selectionPlansOf(operation)
    const key = keyOf(variableValues)
    const cached = plans.get(key)
    if (cached) return cached
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
      // A completed operation has an object at its root.
      return data === PENDING ? whenCompleted(run) : resultOf(run, data as Data)
    } catch (error) {
      return failure(run, error)
    }
  }
}

function whenCompleted(run: OperationRun): Promise<ExecutionResult> {
  // PENDING means that `run.pending` is set.
  const pending = run.pending as Pending
  return new Promise((resolve) => {
    // A completed operation has an object at its root.
    const listener: Listener = (isFailed, value) => resolve(isFailed ? failure(run, value) : resultOf(run, value as Data))
    pending.listener = listener
  })
}

type Data = Record<string, unknown>

const resultOf = ({ errors }: OperationRun, data: Data): ExecutionResult => (errors.length === 0 ? { data } : { errors, data })

function failure(run: OperationRun, error: unknown): ExecutionResult {
  // Fields throw located errors (`GraphQLError`) only.
  addError(run, error as GraphQLError, undefined)
  return { errors: run.errors, data: null }
}

function operationOf(document: DocumentNode, name: string | undefined): OperationDefinitionNode | undefined {
  const { operations } = documentIndex(document)
  if (name === undefined) return operations.length === 1 ? operations[0] : undefined
  return operations.findLast((operation) => operation.name?.value === name)
}

/** A record for graphql-js, with a null prototype, so that any fragment name is safe. */
function fragmentsOf(document: DocumentNode): Record<string, FragmentDefinitionNode> {
  const fragments = Object.create(null)
  for (const [name, fragment] of documentIndex(document).fragments) fragments[name] = fragment
  return fragments
}
