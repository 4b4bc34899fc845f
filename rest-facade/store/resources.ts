import type { GatewayClient } from '../../gateway/client.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { operationIdOf } from '../http/route.ts'
import { type CompiledRoute, compileRoute } from './compiled-route.ts'
import { type ContractOperation, envelopeOf, operationsOf } from './contract.ts'
import { publishedContract } from './published-contract.ts'
import { storeRoutes } from './routes.ts'

/** The operation that reads one object, by its type in the graph. */
const READ_OPERATIONS: Readonly<Record<string, string>> = {
  Customer: 'getCustomer',
  Fulfillment: 'getFulfillment',
  Order: 'getOrder',
  Product: 'getProduct',
}

/**
 * Writes an object of the store as the REST API returns it to `caller`; only its id in its envelope
 * where it was deleted. Rejects when the graph fails.
 */
export type Resources = (type: string, id: number, caller: Caller, signal: AbortSignal) => Promise<string>

/**
 * Creates the writer of webhook bodies and of other texts that equal the REST API's. Rejects when a
 * row does not fit.
 */
export async function resources(client: GatewayClient): Promise<Resources> {
  const contract = publishedContract()
  const operations = operationsOf(contract)
  const readers = new Map<string, { readonly operation: ContractOperation; readonly row: CompiledRoute | null }>()
  for (const [type, operationId] of Object.entries(READ_OPERATIONS)) {
    const operation = operations.get(operationId)
    if (!operation) throw new Error(`Expected the contract to have an operation "${operationId}".`)
    const route = storeRoutes.find(({ run }) => operationIdOf(run) === operationId)
    if (route) await client.prepare(route.run)
    readers.set(type, { operation, row: route ? compileRoute(route, operation, client.schema) : null })
  }

  return async (type, id, caller, signal) => {
    const found = readers.get(type)
    if (!found) throw new Error(`Expected one of ${Object.keys(READ_OPERATIONS).join(', ')}, got ${type}.`)
    const { operation, row } = found
    return (row && (await written(row))) ?? JSON.stringify({ [envelopeOf(operation.answer ?? {}) ?? 'resource']: { id } })

    /** Null when the object does not exist. */
    async function written({ run, read, write }: CompiledRoute): Promise<string | null> {
      const given = read({ path: { id: String(id) }, query: '', headers: {}, body: undefined })
      // An invalid id names nothing.
      if ('failure' in given) return null
      const { data, errors } = await client.run(run, given.variables, caller, signal)
      if (data === null || errors.length > 0) {
        throw new Error(`The graph did not answer ${operation.operationId}: ${errors.map(({ message }) => message).join(' ')}`)
      }
      const answer = write(data)
      return 'failure' in answer ? null : answer.text
    }
  }
}
