import { createServer } from 'node:http'
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime'

/** Hive Gateway: with its planner in JavaScript, or with the one in Rust. */
export async function start({ supergraphSdl, withRust }) {
  const options = { supergraph: supergraphSdl, logging: process.env.HIVE_LOG === '1', landingPage: false, graphiql: false }
  if (withRust) {
    const { unifiedGraphHandler } = await import('@graphql-hive/router-runtime')
    options.unifiedGraphHandler = unifiedGraphHandler
  }
  // Equal requests of several clients at once are not shared, as nowhere here.
  const transportEntries = { '*.http': { options: { deduplicateInflightRequests: false } } }
  const gateway = createGatewayRuntime({ ...options, transportEntries, requestId: false })
  const server = createServer(gateway)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server.address().port
}
