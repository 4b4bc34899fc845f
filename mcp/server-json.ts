import type { ToolServer } from './tool-server.ts'

/** The schema of `server.json` that registries of MCP servers accept. */
const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'

/** The entry of a server for registries, made for the address at which this copy is reached. */
export function serverJson({
  server: { name, title, description, keyHeaders },
  publicUrl,
  version,
}: {
  readonly server: ToolServer
  readonly publicUrl: string
  readonly version: string
}) {
  return {
    $schema: SCHEMA,
    name: `${namespaceOf(publicUrl)}/atrium-${name}`,
    title,
    description,
    version,
    websiteUrl: publicUrl,
    remotes: [
      {
        type: 'streamable-http',
        url: `${publicUrl}/mcp/${name}`,
        ...(keyHeaders.length > 0 && { headers: keyHeaders.map((header) => ({ isSecret: true, ...header })) }),
      },
    ],
  }
}

/**
 * Registries know servers by domains that their owners have proved, spelled backwards; an address
 * in brackets is none.
 */
const namespaceOf = (publicUrl: string): string =>
  new URL(publicUrl).hostname
    .split('.')
    .reverse()
    .join('.')
    .replaceAll(/[^\w.-]/g, '-')
