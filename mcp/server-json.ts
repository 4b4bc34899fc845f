import type { ToolServer } from './tool-server.ts'

/** Schema of `server.json` for MCP registries. */
const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'

/** Registry entry of a server with the public URL of this installation. */
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
 * Registry namespace: the reversed domain, whose ownership a registry verifies. Other characters,
 * as in an IPv6 address, become hyphens.
 */
const namespaceOf = (publicUrl: string): string =>
  new URL(publicUrl).hostname
    .split('.')
    .reverse()
    .join('.')
    .replaceAll(/[^\w.-]/g, '-')
