import { describe, expect, test } from 'vitest'
import { merge } from '../../../subgraphs/directory/import/merge.ts'
import { registryReader } from '../../../subgraphs/directory/import/registry.ts'
import type { Catalogue } from '../../../subgraphs/directory/item/catalogue.ts'
import type { McpServer } from '../../../subgraphs/directory/item/item.ts'
import { registryEntryOf, serverNamed } from '../../../subgraphs/directory/registry-entry/registry-entry.ts'

const server = (owner: string, repo: string, rest: Partial<McpServer> = {}): McpServer => ({
  kind: 'MCP_SERVER',
  id: '1',
  key: `${owner}/${repo}`,
  name: repo,
  description: '',
  category: 'Uncategorized',
  originalCategory: null,
  tags: [],
  popularity: 0,
  license: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  owner,
  repo,
  official: false,
  deprecated: false,
  transport: 'stdio',
  installCommand: '',
  installations: [],
  envVars: [],
  docsUrl: 'https://example.org',
  repoUrl: null,
  ...rest,
})
/** As much of a catalogue as names need. */
const catalogueOf = (servers: readonly McpServer[]) => ({ list: () => servers }) as unknown as Catalogue
const entryOf = (one: McpServer) => registryEntryOf(one, catalogueOf([one]))

test.each([
  [server('acme', 'tools', { repoUrl: 'https://github.com/Acme/mono/tree/HEAD/tools' }), 'io.github.Acme/tools'],
  [server('group', 'tools', { repoUrl: 'https://gitlab.com/group/tools' }), 'com.gitlab.group/tools'],
  [server('acme.example', 'remote'), 'example.acme/remote'],
  [server('npm', 'tools'), 'directory.npm/tools'],
  [server('Ünï cödé', 'a b/c'), 'directory.-n-c-d-/a-b-c'],
])('the namespace says who controls it (%#)', async (one, name) => {
  expect((await entryOf(one)).name).toBe(name)
})

test('a name and a version that a registry has verified are kept, and not lost to a name that is made here', async () => {
  const lookalike = server('acme', 'tools', { repoUrl: 'https://github.com/acme/tools' })
  const registered = server('x', 'y', { registered: { name: 'io.github.acme/tools', version: '2.1.0' } })
  const catalogue = catalogueOf([lookalike, registered])
  expect(await registryEntryOf(registered, catalogue)).toMatchObject({ name: 'io.github.acme/tools', version: '2.1.0' })
  expect(await registryEntryOf(lookalike, catalogue)).toMatchObject({ name: 'io.github.acme/tools-2', version: '0.0.0' })
  expect(await serverNamed('IO.github.acme/tools', catalogue)).toBe(registered)
})

describe('only what a registry answered states a name', () => {
  const NAME = 'io.github.acme/tools'
  const meta = { 'io.modelcontextprotocol.registry/official': { status: 'active', isLatest: true } }
  const answer = (repository: string, version: string) => ({
    servers: [{ server: { name: NAME, version, repository: { url: `https://github.com/${repository}` } }, _meta: meta }],
  })
  const read = (origin: string, repository: string, version = '2.1.0') =>
    registryReader.read(answer(repository, version), { origin, path: 'v0.1/servers', text: '' }).contributions

  test.each(['evil/fork', 'file:/home/person/acme', 'file:folder'])(
    'and not a file of %s that looks like its answer',
    (origin) => {
      expect(read('registry.example', 'acme/tools')[0]?.statement).toMatchObject({
        registered: { name: NAME, version: '2.1.0' },
        byPublisher: true,
      })
      expect(read(origin, 'acme/tools')[0]?.statement).not.toHaveProperty('registered')
      expect(read(origin, 'acme/tools')[0]?.statement).not.toHaveProperty('byPublisher')
    },
  )

  test('also of records that an earlier release read from files', () => {
    const verified = read('registry.example', 'acme/tools')
    const stored = (repository: string) =>
      read('registry.example', repository, '6.6.6').map((one) => ({ ...one, origin: 'a/first' }))
    const { items } = merge([...stored('evil/fork'), ...stored('acme/tools'), ...verified], new Map())
    const names = items.map(({ identity, detail }) => [identity, 'registered' in detail ? detail.registered : null])
    expect(names).toEqual([
      ['github.com/acme/tools', { name: NAME, version: '2.1.0' }],
      ['github.com/evil/fork', null],
    ])
  })
})

test('names that look alike are told apart, and each leads back to its server', async () => {
  const servers = [server('npm', 'a b'), server('npm', 'a-b'), server('npm', 'A_B')]
  const catalogue = catalogueOf(servers)
  const names = await Promise.all(servers.map(async (one) => (await registryEntryOf(one, catalogue)).name))
  expect(names).toEqual(['directory.npm/a-b', 'directory.npm/a-b-2', 'directory.npm/A_B'])
  for (const [at, name] of names.entries()) expect(await serverNamed(name.toUpperCase(), catalogue)).toBe(servers[at])
  for (const name of ['', '__proto__', 'constructor']) expect(await serverNamed(name, catalogue)).toBeNull()
})

test.each([
  ['npx -y @acme/tools@1.2.3 --read-only', { identifier: '@acme/tools', version: '1.2.3', packageArguments: ['--read-only'] }],
  ['uvx acme-tools==0.1', { registryType: 'pypi', identifier: 'acme-tools', version: '0.1', runtimeHint: 'uvx' }],
  [
    'docker run -i --rm -v /path/to/data:/data -e KEY acme/tools:2.0 serve',
    {
      registryType: 'oci',
      identifier: 'acme/tools:2.0',
      version: null,
      runtimeArguments: ['-v', '/path/to/data:/data'],
      packageArguments: ['serve'],
    },
  ],
])('%s is a package', async (command, expected) => {
  const { packages, remotes } = await entryOf(server('acme', 'tools', { installations: [{ command, transport: 'stdio' }] }))
  expect(packages).toMatchObject([expected])
  expect(remotes).toEqual([])
})

test('an address is a remote, and what speaks over a port or starts nothing known is left out', async () => {
  const url = 'https://acme.example/mcp'
  const one = server('acme', 'tools', {
    description: 'x'.repeat(200),
    installations: [
      { command: `claude mcp add --transport http tools ${url}`, transport: 'streamable-http' },
      { command: 'docker run -i --rm -p 127.0.0.1:80:80 acme/tools', transport: 'sse' },
      { command: 'thv run tools', transport: 'stdio' },
    ],
  })
  expect(await entryOf(one)).toMatchObject({ version: '0.0.0', packages: [], remotes: [{ type: 'streamable-http', url }] })
  expect((await entryOf(one)).description).toHaveLength(100)
})

test('ten thousand keys that look alike are named in slices', async () => {
  const servers = Array.from({ length: 10_000 }, (_, index) =>
    server('npm', `a${'\u{1F600}'.repeat(1 + (index % 50))}b`, { id: String(index) }),
  )
  let turns = 0
  const turn = setInterval(() => (turns += 1), 0)
  const catalogue = catalogueOf(servers)
  const names = await Promise.all(servers.map(async (one) => (await registryEntryOf(one, catalogue)).name))
  clearInterval(turn)
  expect([names[0], names.at(-1), new Set(names).size]).toEqual(['directory.npm/a-b', 'directory.npm/a-b-10000', 10_000])
  expect(turns).toBeGreaterThan(0)
})
