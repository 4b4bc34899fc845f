import { afterAll, beforeAll, expect, test } from 'vitest'
import { registryReader } from '../../subgraphs/directory/import/registry.ts'
import { asPage, readRegistry } from '../../subgraphs/directory/import/registry-api.ts'
import { askRaw } from './ask.ts'
import { startStack } from './stack.ts'

let stack: Awaited<ReturnType<typeof startStack>>
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.close())

const ask = (path: string) => askRaw(stack.url, path)
const signal = new AbortController().signal

// biome-ignore lint/suspicious/noExplicitAny: a wire answer
type Row = any

test('a client of the official registry reads every server once, and what it reads can be imported', async () => {
  const { total } = (await ask('/api/mcp?limit=1')).json
  const answer = await readRegistry(stack.url, { signal })
  expect(answer.fault).toBeNull()
  expect(answer.pages).toBe(Math.ceil(total / 100))
  const names = answer.servers.map((row: Row) => row.server.name)
  expect(new Set(names).size).toBe(total)
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
  for (const { server } of answer.servers as Row[]) expect(server.description.length).toBeLessThanOrEqual(100)

  const page = asPage(answer)
  const file = { origin: 'registry.example', path: 'servers.json', text: '' }
  expect(registryReader.recognises(page, file)).toBe(true)
  const { contributions } = registryReader.read(page, file)
  const statements = contributions.map(({ statement }) => statement)
  const read = statements.find((statement) => 'installCommand' in statement && statement.installCommand?.includes('server-15@'))
  expect(read).toMatchObject({
    kind: 'MCP_SERVER',
    installations: [{ command: 'npx -y server-15@1.0.0', transport: 'stdio' }],
    envVars: [{ name: 'KEY_15', required: true }],
  })
})

test('a server is read by its name, in any case, as the latest and as its version', async () => {
  const [row] = (await ask('/v0.1/servers?limit=1&search=server+15')).json.servers
  expect(row._meta['io.modelcontextprotocol.registry/official']).toMatchObject({ status: 'active', isLatest: true })
  const { name, version } = row.server
  for (const path of [`${name}/versions/latest`, `${name.toUpperCase()}/versions/${version}`]) {
    const encoded = encodeURIComponent(path.split('/versions/')[0] ?? '')
    const { status, json } = await ask(`/v0.1/servers/${encoded}/versions/${path.split('/versions/')[1]}`)
    expect({ status, json }).toEqual({ status: 200, json: row })
  }
  const versions = await ask(`/v0/servers/${encodeURIComponent(name)}/versions`)
  expect(versions.json).toEqual({ servers: [row], metadata: { count: 1 } })
  expect((await ask(`/v0.1/servers/${encodeURIComponent(name)}/versions/9.9.9`)).status).toBe(404)
})

test('an incremental mirror gets what changed since its last visit, and nothing before', async () => {
  const all = (await ask('/v0/servers?limit=100')).json
  const times = all.servers.map((row: Row) => row._meta['io.modelcontextprotocol.registry/official'].updatedAt).sort()
  const newest = times.at(-1)
  const since = (time: string) => ask(`/v0.1/servers?limit=100&updated_since=${encodeURIComponent(time)}`)
  expect((await since(newest)).json.servers.length).toBeGreaterThan(0)
  const later = new Date(Date.parse(newest) + 1_000).toISOString()
  expect((await since(later)).json).toEqual({ servers: [], metadata: { count: 0 } })
})

test('nothing can be written', async () => {
  const { status } = await askRaw(stack.url, '/v0.1/publish', { method: 'POST', body: '{}' })
  expect([404, 405]).toContain(status)
  expect((await askRaw(stack.url, '/v0.1/servers', { method: 'POST', body: '{}' })).status).toBe(405)
})
