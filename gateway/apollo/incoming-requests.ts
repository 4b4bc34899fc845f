import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import type { Caller } from '../../platform/http/caller.ts'
import { requestIdOf } from '../../platform/http/request-id.ts'
import type { Gateway } from '../gateway.ts'
import type { ApolloExecutor, IncomingRequestContext } from './gateway-interface.ts'
import { createQueryPlanTrace } from './query-plan-trace.ts'

/** Apollo Server requests being executed. */
export type IncomingRequests = {
  /** Request of a caller. Throws for a caller that is not from Apollo Server. */
  readonly of: (caller: Caller) => IncomingRequestContext
  /** Executes a request with `gateway`. */
  readonly execute: (requestContext: IncomingRequestContext, gateway: Gateway) => ReturnType<ApolloExecutor>
}

export function createIncomingRequests(): IncomingRequests {
  const incoming = new WeakMap<Caller, IncomingRequestContext>()

  return {
    of(caller) {
      const found = incoming.get(caller)
      if (!found) throw new Error('Expected an operation of Apollo Server.')
      return found
    },
    async execute(requestContext, gateway) {
      const { source, request } = requestContext
      const prepared = gateway.prepareText(source, request.operationName ?? undefined)
      if (prepared.kind === 'rejected') return { errors: prepared.errors.map(toGraphQLError) }
      const caller: Caller = { requestId: requestIdOf({ headers: {} }), address: UNKNOWN_ADDRESS, credentials: {} }
      incoming.set(caller, requestContext)
      const trace = requestContext.metrics.captureTraces ? createQueryPlanTrace(requestContext) : null
      const { data, errors, extensions } = await prepared.run(request.variables ?? {}, {
        caller,
        signal: NEVER,
        ...(trace && { planTrace: trace.planTrace }),
      })
      if (trace) trace.report()
      return {
        // Apollo's types declare values as `any`, and writable.
        ...(data !== undefined && { data: data as Record<string, unknown> | null }),
        ...(errors && { errors: errors.map(toGraphQLError) }),
        // By GraphQL §7 `extensions` is an object.
        ...(extensions && { extensions: extensions as Record<string, unknown> }),
      }
    },
  }
}

const NEVER = new AbortController().signal
const UNKNOWN_ADDRESS = '0.0.0.0'

const toGraphQLError = ({ message, path, extensions }: GraphQLFormattedError): GraphQLError =>
  new GraphQLError(message, { path, extensions })
