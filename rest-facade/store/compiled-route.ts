import type { GraphQLSchema } from 'graphql'
import { operationIdOf } from '../http/route.ts'
import type { ContractOperation } from './contract.ts'
import type { StoreRoute } from './route.ts'
import { type RequestReader, requestReader } from './wire/request.ts'
import { type ResponseWriter, responseWriter } from './wire/response.ts'
import { readDocument } from './wire/selection.ts'

/**
 * A row bound to its operation of the contract: pure functions that read requests and write
 * responses.
 */
export type CompiledRoute = {
  readonly operation: ContractOperation
  readonly run: StoreRoute['run']
  readonly read: RequestReader['read']
  readonly wireArgument: RequestReader['wireArgument']
  readonly write: ResponseWriter['write']
  /** Documented keys and parameters that the row does not support yet. */
  readonly gaps: readonly string[]
}

/** Compiles a row against the graph. Throws, with the operationId, for whatever does not fit. */
export function compileRoute(route: StoreRoute, operation: ContractOperation, schema: GraphQLSchema): CompiledRoute {
  try {
    const document = readDocument(route.run, schema)
    const request = requestReader(route, operation, document)
    const response = responseWriter(route, operation, document, schema, request)
    const gaps = [...request.gaps, ...response.gaps].map((gap) => `${operation.operationId} ${gap}`)
    return { operation, run: route.run, read: request.read, wireArgument: request.wireArgument, write: response.write, gaps }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`The row of ${operation.operationId} does not fit: ${reason}`, { cause: error })
  }
}

/** The operation that a row's document is named after. Throws when the contract has none. */
export function operationOf({ run }: StoreRoute, operations: ReadonlyMap<string, ContractOperation>): ContractOperation {
  const id = operationIdOf(run)
  const operation = operations.get(id)
  if (!operation) throw new Error(`Expected the contract to have an operation "${id}".`)
  return operation
}
