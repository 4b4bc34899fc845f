import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { packTar } from 'modern-tar'

/** A row as the API of the MCP registry answers it. */
export type RegistryRow = Readonly<Record<string, unknown>>

/** A registered server of this name, such as `tracker`, with what a test changes. */
export const aRow = (
  name: string,
  {
    description = `Does ${name}`,
    status = 'active',
    updatedAt = '2026-11-01T00:00:00Z',
    ...server
  }: Record<string, unknown> = {},
): RegistryRow => ({
  server: {
    name: `io.github.acme/${name}`,
    description,
    version: '1.0.0',
    repository: { url: `https://github.com/acme/${name}`, source: 'github' },
    packages: [{ registryType: 'npm', identifier: `@acme/${name}`, version: '1.0.0', transport: { type: 'stdio' } }],
    ...server,
  },
  _meta: { 'io.modelcontextprotocol.registry/official': { status, isLatest: true, publishedAt: updatedAt, updatedAt } },
})

export const rows = (count: number, prefix = 'server'): RegistryRow[] =>
  Array.from({ length: count }, (_, index) => aRow(`${prefix}-${String(index).padStart(3, '0')}`))

type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => unknown

/** A server on loopback whose answers a test replaces, and what was requested of it. */
export type Loopback = {
  readonly url: string
  /** Path with query of each request. */
  readonly requests: string[]
  readonly answer: (next: Answer) => void
  readonly close: () => Promise<void>
}

export async function loopback(): Promise<Loopback> {
  let current: Answer = (_, response) => response.writeHead(404).end()
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    current(request, response, new URL(request.url ?? '', 'http://x'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer(next) {
      current = next
      requests.length = 0
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export const json = (response: ServerResponse, value: unknown, status = 200, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))

/** A registry of these rows in pages of `size`, with `updated_since` and cursors that are positions. */
export const registryOf =
  (all: () => readonly RegistryRow[], size = 2): Answer =>
  (_, response, { pathname, searchParams }) => {
    if (pathname !== '/v0/servers') return json(response, { error: 'not found' }, 404)
    const since = searchParams.get('updated_since')
    const isDeleted = (row: RegistryRow) => metaOf(row).status === 'deleted'
    const found = all().filter((row) => (since === null ? !isDeleted(row) : String(metaOf(row).updatedAt) >= since))
    const start = Number(searchParams.get('cursor') ?? 0)
    const next = start + size < found.length ? { nextCursor: String(start + size) } : {}
    return json(response, { servers: found.slice(start, start + size), metadata: { count: size, ...next } })
  }

const metaOf = (row: RegistryRow) =>
  // As `aRow` makes them.
  (row as { _meta?: Record<string, Record<string, unknown>> } | null)?._meta?.['io.modelcontextprotocol.registry/official'] ?? {}

/** Files below the one folder of an archive, as a repository is packed. */
export async function archiveOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const entries = Object.entries(files).map(([path, body]) => ({
    header: { name: `repository-1/${path}`, size: Buffer.byteLength(body), type: 'file' as const },
    body,
  }))
  return gzipSync(Buffer.from(await packTar(entries)))
}

/** Answers bytes with a validator, and 304 to whoever has them. */
export const withValidator =
  (bytes: () => Buffer, etag: () => string): Answer =>
  (request, response) =>
    request.headers['if-none-match'] === etag()
      ? response.writeHead(304, { etag: etag() }).end()
      : response.writeHead(200, { etag: etag() }).end(bytes())
