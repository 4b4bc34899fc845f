import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type DocumentNode, type GraphQLFormattedError, type GraphQLSchema, Kind } from 'graphql'
import type { Logger } from 'pino'
import type { Caller, ClientIdentity } from '../platform/http/caller.ts'
import { createStoredPlan, type ExecutorDeps, outlivesClient, planOperation } from './executor/executor.ts'
import type { RunOperation } from './executor/run-operation.ts'
import { BOUNDS, type Limits } from './limits/limits.ts'
import { type ValidatedOperation, validateInternalOperation } from './operations/document-cache.ts'
import { fault, refusal } from './operations/errors.ts'
import type { ExecutionResult } from './operations/execution-result.ts'
import type { PreparedOperation } from './operations/prepared-operation.ts'
import { withTimeout } from './operations/timeout.ts'
import type { PlanStore } from './planning/plan-store.ts'
import type { RequestContext } from './subgraph-client/link.ts'
import type { GraphQLParams } from './transports/request-params.ts'

/** The result of a facade's operation: `data` is null when an error reached the root. */
export type ClientResult<Data> = { readonly data: Data | null; readonly errors: readonly GraphQLFormattedError[] }

/** Runs operations of facades, which `prepare` has validated and planned at start. */
export type GatewayClient = {
  /** Schema that documents are validated against. */
  readonly schema: GraphQLSchema
  /**
   * Validates and plans `document`; throws with its name and every problem. Called once per
   * document, at start.
   */
  readonly prepare: (document: TypedDocumentNode<unknown, never>) => Promise<void>
  /** Runs a prepared document. Subgraph failures are in `errors`; never rejects. */
  readonly run: <Data, Variables extends Record<string, unknown>>(
    document: TypedDocumentNode<Data, Variables>,
    variables: Variables,
    caller: Caller,
    signal: AbortSignal,
  ) => Promise<ClientResult<Data>>
}

/** Runs queries from clients of a facade, with the same limits as other transports. */
export type ExternalClient = {
  readonly schema: GraphQLSchema
  readonly limits: Limits
  /** Runs a query; refuses mutations and subscriptions. Never rejects. */
  readonly query: (
    params: {
      readonly text: string
      readonly operationName: string | undefined
      readonly variables: Readonly<Record<string, unknown>>
    },
    context: RequestContext,
  ) => Promise<ExecutionResult>
}

/** Client identity of facade operations for callers without a client name. */
export const FACADES: ClientIdentity = { name: 'atrium', version: '' }

/** The caller with the client identity of facades where it has none. */
export const asFacade = (caller: Caller): Caller => (caller.client ? caller : { ...caller, client: FACADES })

/** Creates a client for queries from outside this installation. */
export const createExternalClient = (gateway: {
  readonly schema: GraphQLSchema
  readonly limits: Limits
  readonly prepare: (params: GraphQLParams) => PreparedOperation
}): ExternalClient => ({
  schema: gateway.schema,
  limits: gateway.limits,
  async query(params, requestContext) {
    const prepared = gateway.prepare({ ...params, hash: null, documentId: null, wantsCost: false })
    if (prepared.kind === 'rejected') return { errors: prepared.errors }
    if (prepared.operation !== 'query') return { errors: [NOT_A_QUERY] }
    return prepared.run(params.variables, { ...requestContext, caller: asFacade(requestContext.caller) })
  },
})

const NOT_A_QUERY = refusal('METHOD_NOT_ALLOWED', 'Expected a query: send mutations and subscriptions to /graphql.')

const NO_ERRORS: readonly GraphQLFormattedError[] = []

/**
 * Creates a client that calls the executor directly: no HTTP, no limits, and nothing is parsed,
 * validated or planned per call. `wrap` adds observability to each operation.
 */
export function createClient(
  deps: ExecutorDeps,
  log: Logger,
  wrap: (operation: ValidatedOperation, run: RunOperation) => RunOperation,
  plans: PlanStore,
): GatewayClient {
  const { supergraph } = deps
  const prepared = new WeakMap<DocumentNode, { readonly runOf: () => RunOperation; readonly outlivesClient: boolean }>()

  return {
    schema: supergraph.api,
    async prepare(document) {
      try {
        const storedPlan = plans.find(document)
        const operation = validateInternalOperation(document, supergraph.api, storedPlan)
        let run: RunOperation | null = null
        const runOf = () => {
          run ??= wrap(operation, planOperation(operation, deps, { mutations: 'refused' }))
          return run
        }
        // With a stored plan the operation is valid, and is compiled on first run: compiling all of
        // the facades' operations takes 0.2 s at start.
        if (!storedPlan) runOf()
        if (!storedPlan && !operation.isIntrospection) plans.add(document, createStoredPlan(operation, deps))
        prepared.set(document, { runOf, outlivesClient: outlivesClient(operation) })
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        throw new Error(`The operation ${nameOf(document)} cannot be run on this graph:\n${reason}`, { cause: error })
      }
    },
    async run<Data>(document: DocumentNode, variables: Readonly<Record<string, unknown>>, caller: Caller, signal: AbortSignal) {
      const operation = prepared.get(document)
      if (!operation) throw new Error(`Expected the operation ${nameOf(document)} to be prepared before it is run.`)
      const { runOf, outlivesClient } = operation
      const execute = (context: RequestContext) => runOf()(withoutUndefined(variables), context)
      try {
        const result = await withTimeout(BOUNDS.operationTimeoutMs, { caller, signal }, execute, { outlivesClient })
        // Codegen derived `Data` from the schema that the document was validated against.
        return { data: (result.data ?? null) as Data | null, errors: result.errors ?? NO_ERRORS }
      } catch (error) {
        log.error({ err: error, requestId: caller.requestId }, 'an operation of a facade failed')
        return { data: null, errors: [fault(caller.requestId)] }
      }
    },
  }
}

function nameOf({ definitions }: DocumentNode): string {
  const operation = definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  return operation?.name?.value ?? '(without a name)'
}

/** Removes undefined variables, which graphql-js would treat as null. */
function withoutUndefined(variables: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  for (const name in variables) {
    if (variables[name] === undefined)
      return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined))
  }
  return variables
}
