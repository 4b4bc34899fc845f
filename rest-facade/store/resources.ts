import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GatewayClient } from '../../gateway/client.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { operationIdOf } from '../http/route.ts'
import { type CompiledRoute, compileRoute } from './compiled-route.ts'
import { envelopeOf, type Operation, operationsOf } from './contract.ts'
import { storeRoutes } from './routes.ts'

/** The operation that shows one thing, by its type in the graph. */
const SHOWN_BY: Readonly<Record<string, string>> = {
  Customer: 'getCustomer',
  Fulfillment: 'getFulfillment',
  Order: 'getOrder',
  Product: 'getProduct',
}

/** Writes a thing of the store as the REST API answers it to `caller`; with nothing but its id in its envelope where it is gone. Rejects when the graph does not answer. */
export type Resources = (type: string, id: number, caller: Caller, signal: AbortSignal) => Promise<string>

/** What writes things of the store for others than who asks for them. Rejects when a row does not fit. */
export async function resources(client: GatewayClient): Promise<Resources> {
  const contract = JSON.parse(readFileSync(join(import.meta.dirname, 'openapi.json'), 'utf8')) as object
  const operations = operationsOf(contract)
  const shown = new Map<string, { readonly operation: Operation; readonly row: CompiledRoute | null }>()
  for (const [type, operationId] of Object.entries(SHOWN_BY)) {
    const operation = operations.get(operationId)
    if (!operation) throw new Error(`Expected the contract to have an operation "${operationId}".`)
    const route = storeRoutes.find(({ run }) => operationIdOf(run) === operationId)
    if (route) await client.prepare(route.run)
    shown.set(type, { operation, row: route ? compileRoute(route, operation, client.schema) : null })
  }

  return async (type, id, caller, signal) => {
    const found = shown.get(type)
    if (!found) throw new Error(`Expected one of ${Object.keys(SHOWN_BY).join(', ')}, got ${type}.`)
    const { operation, row } = found
    return (row && (await written(row))) ?? JSON.stringify({ [envelopeOf(operation.answer ?? {}) ?? 'resource']: { id } })

    /** Null when there is no such thing. */
    async function written({ run, read, write }: CompiledRoute): Promise<string | null> {
      const given = read({ path: { id: String(id) }, query: '', headers: {}, body: undefined })
      // An id that cannot be one is that of nothing.
      if ('failure' in given) return null
      const document = run as Parameters<typeof client.run<Record<string, unknown>, Record<string, unknown>>>[0]
      const { data, errors } = await client.run(document, given.variables, caller, signal)
      if (data === null || errors.length > 0) {
        throw new Error(`The graph did not answer ${operation.operationId}: ${errors.map(({ message }) => message).join(' ')}`)
      }
      const answer = write(data)
      return 'failure' in answer ? null : answer.text
    }
  }
}
