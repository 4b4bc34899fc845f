import type { GatewayClient } from '../../gateway/client.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { compileRoute, operationOf } from './compiled-route.ts'
import type { ContractOperation } from './contract.ts'
import { callerWithGrants, withoutNulls } from './granted-scopes.ts'
import type { StoreRoute } from './route.ts'
import { type StoreFailure, toFailure } from './wire/failure.ts'
import type { ReadRequest } from './wire/request.ts'

type Data = Readonly<Record<string, unknown>>

/**
 * Compiles rows against the contract and the graph, with paths below `mount`. Rejects for what does
 * not fit, and stops the start.
 */
export async function contractEndpoints(
  client: GatewayClient,
  routes: readonly StoreRoute[],
  operations: ReadonlyMap<string, ContractOperation>,
  mount: string,
): Promise<readonly Endpoint<Data, ReadRequest, StoreFailure>[]> {
  const endpoints: Endpoint<Data, ReadRequest, StoreFailure>[] = []
  for (const route of routes) {
    await client.prepare(route.run)
    endpoints.push(contractEndpoint(route, operationOf(route, operations), client, mount))
  }
  return endpoints
}

function contractEndpoint(
  route: StoreRoute,
  operation: ContractOperation,
  { schema }: GatewayClient,
  mount: string,
): Endpoint<Data, ReadRequest, StoreFailure> {
  const { run, read, write, wireArgument } = compileRoute(route, operation, schema)
  return {
    operationId: operation.operationId,
    method: operation.method,
    status: operation.status,
    paths: [operation.path, ...operation.otherPaths].map((path) => `${mount}${path}`),
    read(request) {
      const result = read(request)
      return 'failure' in result ? result : { input: result }
    },
    async execute(client, { variables }, caller, signal) {
      const { data, errors } = await client.run(run, variables, callerWithGrants(caller, operation), signal)
      return { data, errors: withoutNulls(errors, operation) }
    },
    toFailure: (errors, requestId) => toFailure(errors, requestId, operation.scope, wireArgument),
    write: (data, { slice }) => write(data, slice),
  }
}
