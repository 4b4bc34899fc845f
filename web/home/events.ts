import type { FastifyInstance } from 'fastify'
import { print } from 'graphql'
import { SampleOrdersDocument } from '#generated/operations.ts'
import type { StreamOperation } from '../account/stream.ts'

/** Path of the orders of the demo shop, as server-sent events. */
export const SAMPLE_ORDERS = '/sample-orders'

/**
 * Serves the orders of the demo shop to the home page, for everybody: an anonymous caller of the
 * graph, whose limits for one address hold.
 */
export function serveSampleOrders(app: FastifyInstance, streamOperation: StreamOperation): void {
  const text = print(SampleOrdersDocument)
  app.get(SAMPLE_ORDERS, (request, reply) => {
    reply.header('cache-control', 'no-store')
    return streamOperation(request, reply, { text, variables: {}, credentials: {} })
  })
}
