import type { FastifyInstance } from 'fastify'
import type { ExternalClient, GatewayClient } from '../gateway/client.ts'
import { directoryServer } from './directory/server.ts'
import { graphServer } from './graph/server.ts'
import { type ServingOptions, serveMcp } from './serve.ts'
import { storeServer } from './store/server.ts'
import { trustServer } from './trust/server.ts'

/**
 * Serves every MCP server of this process. `introspection`: whether clients may read the GraphQL
 * schema. Rejects when a tool's operation is invalid.
 */
export async function serveMcpServers(
  app: FastifyInstance,
  client: GatewayClient,
  guest: ExternalClient,
  { introspection, ...options }: ServingOptions & { readonly introspection: boolean },
): Promise<void> {
  const servers = [directoryServer, await storeServer(client), trustServer, graphServer(guest, { introspection })]
  for (const server of servers) await serveMcp(app, { client, schema: guest.schema }, server, options)
}
