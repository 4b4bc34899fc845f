import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type DocumentNode, type GraphQLFormattedError, type GraphQLSchema, Kind } from 'graphql'
import type { Logger } from 'pino'
import type { Caller } from '../platform/http/caller.ts'
import { createStoredPlan, type ExecutorDeps, outlivesClient, planOperation } from './executor/executor.ts'
import type { RunOperation } from './executor/run-operation.ts'
import type { Gateway } from './gateway.ts'
import { BOUNDS, type Limits } from './limits/limits.ts'
import { type CheckedOperation, checkOwn } from './operations/document-cache.ts'
import { fault, refusal } from './operations/errors.ts'
import type { ExecutionResult } from './operations/execution-result.ts'
import { withinTime } from './operations/timeout.ts'
import type { KeptPlans } from './planning/plan-store.ts'
import type { RequestContext } from './subgraph-client/link.ts'

/** The answer to an operation of our own: `data` null when an error reached the root. */
export type Answer<Data> = { readonly data: Data | null; readonly errors: readonly GraphQLFormattedError[] }

/** The one way in for facades. Documents are validated and planned when they are prepared, at start. */
export type GatewayClient = {
  /** What documents are validated against. */
  readonly schema: GraphQLSchema
  /** Validates and plans `document`; throws with its name and every problem. Called once per document, at start. */
  readonly prepare: (document: TypedDocumentNode<unknown, never>) => Promise<void>
  /** Runs a prepared document. Never rejects for a failing subgraph: that is in `errors`. */
  readonly run: <Data, Variables extends Record<string, unknown>>(
    document: TypedDocumentNode<Data, Variables>,
    variables: Variables,
    caller: Caller,
    signal: AbortSignal,
  ) => Promise<Answer<Data>>
}

/** The way in for facades that pass on what their clients wrote: as limited as any door. */
export type Guest = {
  readonly schema: GraphQLSchema
  readonly limits: Limits
  /** Runs a query; other operations are refused. Never rejects. */
  readonly query: (
    asked: {
      readonly text: string
      readonly operationName: string | undefined
      readonly variables: Readonly<Record<string, unknown>>
    },
    passage: RequestContext,
  ) => Promise<ExecutionResult>
}

/** A guest of `gateway`. */
export const guestOf = (gateway: Pick<Gateway, 'schema' | 'limits' | 'admitAsked'>): Guest => ({
  schema: gateway.schema,
  limits: gateway.limits,
  async query(asked, passage) {
    const admission = gateway.admitAsked({ ...asked, hash: null, documentId: null, wantsCost: false })
    if (admission.kind === 'refused') return { errors: admission.errors }
    if (admission.operation !== 'query') return { errors: [NO_QUERY] }
    return admission.run(asked.variables, passage)
  },
})

const NO_QUERY = refusal('METHOD_NOT_ALLOWED', 'Expected a query: send mutations and subscriptions to /graphql.')

const NO_ERRORS: readonly GraphQLFormattedError[] = []

/** A client straight to the executor, with something `around` each run: no HTTP, no limits, nothing parsed, validated or planned per call. */
export function createClient(
  machinery: ExecutorDeps,
  log: Logger,
  around: (checked: CheckedOperation, run: RunOperation) => RunOperation,
  plans: KeptPlans,
): GatewayClient {
  const { supergraph } = machinery
  const prepared = new WeakMap<DocumentNode, { readonly run: RunOperation; readonly outlivesClient: boolean }>()

  return {
    schema: supergraph.api,
    async prepare(document) {
      try {
        const known = plans.find(document)
        const checked = checkOwn(document, supergraph.api, known)
        const run = planOperation(checked, machinery, { mutations: 'refused' })
        if (!known && !checked.isIntrospection) plans.add(document, createStoredPlan(checked, machinery))
        prepared.set(document, { run: around(checked, run), outlivesClient: outlivesClient(checked) })
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        throw new Error(`The operation ${nameOf(document)} cannot be run on this graph:\n${reason}`, { cause: error })
      }
    },
    async run<Data>(document: DocumentNode, variables: Readonly<Record<string, unknown>>, caller: Caller, signal: AbortSignal) {
      const known = prepared.get(document)
      if (!known) throw new Error(`Expected the operation ${nameOf(document)} to be prepared before it is run.`)
      const { run, outlivesClient } = known
      const begin = (passage: RequestContext) => run(defined(variables), passage)
      try {
        const outcome = await withinTime(BOUNDS.milliseconds, { caller, signal }, begin, { outlivesClient })
        // The document was validated against the schema, and its type was generated from both.
        return { data: (outcome.data ?? null) as Data | null, errors: outcome.errors ?? NO_ERRORS }
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

/** Absent stays absent: graphql-js takes an undefined value for null. */
function defined(variables: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  for (const name in variables) {
    if (variables[name] === undefined)
      return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined))
  }
  return variables
}
