import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { InstallClient } from '#generated/directory/resolvers.ts'
import { shellQuoted } from '../../../../subgraphs/directory/install-config/clients.ts'
import { installConfigsOf } from '../../../../subgraphs/directory/install-config/install-config.ts'
import type { Item, McpServer } from '../../../../subgraphs/directory/item/item.ts'

const COMMON = {
  id: '1',
  description: '',
  category: 'Uncategorized',
  originalCategory: null,
  tags: [],
  popularity: 0,
  license: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
}

function server(detail: Partial<McpServer> & { readonly command?: string } = {}): McpServer {
  const { command = 'npx -y @acme/tools@1.2.3 --read-only', transport = 'stdio', ...rest } = detail
  return {
    ...COMMON,
    kind: 'MCP_SERVER',
    key: 'acme/tools',
    name: 'Acme Tools',
    owner: 'acme',
    repo: 'tools',
    official: false,
    deprecated: false,
    installCommand: command,
    docsUrl: 'https://example.org',
    repoUrl: null,
    envVars: [],
    installations: [{ command, transport }],
    ...rest,
    transport,
  }
}
const TOKEN = { name: 'ACME_TOKEN', required: true, secret: true, description: 'A "token" of Acme' }
const REGION = { name: 'ACME_REGION', required: false, secret: false, description: null }

function config(item: Item, client: InstallClient) {
  const [found] = installConfigsOf(item, { client })
  if (!found) throw new Error(`There is no configuration for ${client}.`)
  return found
}
const content = (item: Item, client: InstallClient) => config(item, client).content
const json = (item: Item, client: InstallClient) => JSON.parse(content(item, client))

/** Words as a shell reads them. */
const wordsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `for word in ${command}; do printf '%s\\0' "$word"; done`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

const CLIENTS: readonly InstallClient[] = [
  'CLAUDE_DESKTOP',
  'CLAUDE_CODE',
  'CURSOR',
  'VS_CODE',
  'CODEX',
  'WINDSURF',
  'ZED',
  'GEMINI_CLI',
  'GENERIC_JSON',
]

test('a program gets the configuration of every client, with needed and secret variables', () => {
  const item = server({ envVars: [REGION, TOKEN] })
  expect(installConfigsOf(item, {}).map(({ client }) => client)).toEqual(CLIENTS)
  const entry = { command: 'npx', args: ['-y', '@acme/tools@1.2.3', '--read-only'], env: { ACME_TOKEN: 'YOUR_ACME_TOKEN' } }
  for (const client of ['CLAUDE_DESKTOP', 'CURSOR', 'WINDSURF', 'GEMINI_CLI', 'GENERIC_JSON'] as const) {
    expect(json(item, client)).toEqual({ mcpServers: { tools: entry } })
  }
  expect(json(item, 'ZED')).toEqual({ context_servers: { tools: entry } })
  expect(json(item, 'VS_CODE')).toEqual({
    inputs: [{ type: 'promptString', id: 'ACME_TOKEN', description: 'A "token" of Acme', password: true }],
    servers: { tools: { type: 'stdio', ...entry, env: { ACME_TOKEN: `\${input:ACME_TOKEN}` } } },
  })
  expect(content(item, 'CLAUDE_CODE')).toBe(
    'claude mcp add --env ACME_TOKEN=YOUR_ACME_TOKEN --transport stdio tools -- npx -y @acme/tools@1.2.3 --read-only',
  )
  expect(content(item, 'CODEX')).toBe(
    [
      '[mcp_servers.tools]',
      'command = "npx"',
      'args = ["-y", "@acme/tools@1.2.3", "--read-only"]',
      '',
      '[mcp_servers.tools.env]',
      'ACME_TOKEN = "YOUR_ACME_TOKEN"',
    ].join('\n'),
  )
  expect(config(item, 'CURSOR').placeholders).toEqual([
    { text: 'YOUR_ACME_TOKEN', variable: 'ACME_TOKEN', secret: true, description: 'A "token" of Acme' },
  ])
  expect(config(item, 'VS_CODE').placeholders).toEqual([])
})

test.each([
  ['streamable-http', 'http', { httpUrl: 'https://acme.example/mcp' }, []],
  ['sse', 'sse', { url: 'https://acme.example/mcp' }, ['--transport', 'sse-only']],
] as const)('a remote server over %s is reached as each client spells it', (transport, kind, gemini, bridge) => {
  const url = 'https://acme.example/mcp'
  const item = server({ command: `claude mcp add --transport ${kind} tools ${url}`, transport, envVars: [TOKEN] })
  expect(json(item, 'CURSOR')).toEqual({ mcpServers: { tools: { url } } })
  expect(json(item, 'WINDSURF')).toEqual({ mcpServers: { tools: { serverUrl: url } } })
  expect(json(item, 'ZED')).toEqual({ context_servers: { tools: { url } } })
  expect(json(item, 'GEMINI_CLI')).toEqual({ mcpServers: { tools: gemini } })
  expect(json(item, 'VS_CODE')).toEqual({ servers: { tools: { type: kind, url } } })
  expect(json(item, 'GENERIC_JSON')).toEqual({ mcpServers: { tools: { type: kind, url } } })
  expect(content(item, 'CLAUDE_CODE')).toBe(`claude mcp add --transport ${kind} tools ${url}`)
  const program = { command: 'npx', args: ['-y', 'mcp-remote', url, ...bridge] }
  expect(json(item, 'CLAUDE_DESKTOP')).toEqual({ mcpServers: { tools: program } })
  expect(content(item, 'CODEX')).toContain(kind === 'http' ? `url = "${url}"` : 'command = "npx"')
})

test('links of clients hold the same configuration, and are left out where words must be replaced', () => {
  const item = server({ envVars: [TOKEN] })
  const cursor = new URL(config(item, 'CURSOR').deepLink ?? '')
  expect(cursor.href).toMatch(/^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?/)
  expect(cursor.searchParams.get('name')).toBe('tools')
  const linked = JSON.parse(Buffer.from(cursor.searchParams.get('config') ?? '', 'base64').toString())
  expect({ mcpServers: { tools: linked } }).toEqual(json(item, 'CURSOR'))

  const [scheme, query = ''] = (config(item, 'VS_CODE').deepLink ?? '').split('?')
  expect(scheme).toBe('vscode:mcp/install')
  const { inputs, servers } = json(item, 'VS_CODE')
  expect(JSON.parse(decodeURIComponent(query))).toEqual({ name: 'tools', ...servers.tools, inputs })

  const mounted = server({ command: 'docker run -i --rm -v /path/to/workspace:/workspace acme/tools --key YOUR_KEY' })
  expect(installConfigsOf(mounted, {}).map(({ deepLink }) => deepLink)).toEqual(CLIENTS.map(() => null))
  expect(config(mounted, 'ZED').placeholders.map(({ text }) => text)).toEqual(['/path/to/workspace', 'YOUR_KEY'])
})

test('a container gets the variables that its command passes on, and no others', () => {
  const item = server({
    command: 'docker run -i --rm -e ACME_TOKEN -e ACME_REGION -e OTHER acme/tools',
    envVars: [TOKEN, REGION],
  })
  expect(json(item, 'CURSOR').mcpServers.tools.env).toEqual({ ACME_TOKEN: 'YOUR_ACME_TOKEN', OTHER: 'YOUR_OTHER' })
})

test("a server of Docker's catalogue is served by its gateway", () => {
  expect(json(server({ command: 'docker mcp server enable duckduckgo' }), 'CURSOR').mcpServers.tools).toEqual({
    command: 'docker',
    args: ['mcp', 'gateway', 'run', '--servers=duckduckgo'],
  })
})

test('the first installation that a client can be configured with is taken', () => {
  const item = server({
    installations: [
      { command: 'thv run tools', transport: 'stdio' },
      { command: 'docker run -i --rm -p 127.0.0.1:8001:8001 acme/tools', transport: 'sse' },
      { command: 'uvx acme-tools', transport: 'stdio' },
    ],
  })
  expect(json(item, 'ZED').context_servers.tools).toEqual({ command: 'uvx', args: ['acme-tools'] })
})

test.each([
  'npx -y tools; rm -rf /',
  'npx -y $(id)',
  'npx -y tools`id`',
  'npx -y tools\nrm',
  'npx -y "tools"',
  'npx  -y tools',
  'npx -y tools\u0000',
  `npx -y \${input:x}`,
  'sh -c id',
  'pip install tools',
  'git clone https://github.com/acme/tools',
  'claude mcp add --transport http tools javascript:alert(1)',
  'claude mcp add --transport http tools https://acme.example/"],"x":["',
  'docker mcp server enable --all',
  '',
])('%j makes no configuration', (command) => {
  expect(installConfigsOf(server({ command }), {})).toEqual([])
})

test('hostile names, variables and descriptions stay inside their quotes in every format', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, description) => {
      const item = server({
        repo: text,
        name: text,
        envVars: [
          { name: text, required: true, secret: true, description },
          { ...TOKEN, description },
        ],
      })
      for (const client of CLIENTS) {
        const { format, content: written } = config(item, client)
        if (format === 'JSON') {
          const { mcpServers, servers, context_servers } = JSON.parse(written)
          const [[name, entry] = []] = Object.entries<{ env: object; args: string[] }>(mcpServers ?? servers ?? context_servers)
          expect(name).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,49}$/)
          expect(entry?.args).toEqual(['-y', '@acme/tools@1.2.3', '--read-only'])
          for (const variable of Object.keys(entry?.env ?? {})) expect(variable).toMatch(/^[A-Za-z_]\w*$/)
        } else {
          expect(written).toMatch(/^[\w@/.:=[\]", \n-]+$/)
        }
      }
    }),
  )
})

test('__proto__ as a name is an entry, and changes nothing', () => {
  const item = server({ repo: '__proto__', envVars: [{ ...TOKEN, name: '__proto__' }] })
  expect(content(item, 'CURSOR')).toContain('"__proto__": {\n      "command": "npx"')
  expect(content(item, 'CURSOR')).toContain('"__proto__": "YOUR___proto__"')
})

test('a quoted word is read back by a shell as it was', () => {
  for (const word of ['a b', "it's", '$(id)', '`id`', '\\', '"', '*', '~', '', '!x', 'é', 'a\nb', '-n']) {
    expect(wordsOf(shellQuoted(word))).toEqual([word])
  }
})

test('a skill is installed by the program skills, from its repository by its name', () => {
  const skill = (name: string, repoUrl: string): Item => ({
    ...COMMON,
    kind: 'SKILL',
    key: 'pdf',
    slug: 'pdf',
    name,
    source: 'COMMUNITY',
    docsUrl: 'https://example.org/SKILL.md',
    repoUrl,
  })
  const folder = 'https://github.com/anthropics/skills/tree/HEAD/skills/pdf'
  expect(content(skill('pdf', folder), 'SKILLS_CLI')).toBe('npx skills add anthropics/skills --skill pdf')
  expect(content(skill('Convex Best Practices', folder), 'SKILLS_CLI')).toBe(
    "npx skills add anthropics/skills --skill 'Convex Best Practices'",
  )
  expect(content(skill('pdf', 'https://gitlab.com/acme/skills'), 'SKILLS_CLI')).toBe(
    'npx skills add https://gitlab.com/acme/skills --skill pdf',
  )
  for (const name of ['--all', "x'; id; '", 'a\nb', '$(id)', '*', ''])
    expect(installConfigsOf(skill(name, folder), {})).toEqual([])
  expect(installConfigsOf(skill('pdf', 'https://example.org/pdf'), {})).toEqual([])
})

test('a plugin is installed by the commands of its ecosystem', () => {
  const plugin: Item = {
    ...COMMON,
    kind: 'PLUGIN',
    key: 'market/helper',
    name: 'helper',
    marketplaceSlug: 'market',
    slug: 'helper',
    ecosystem: 'codex',
    ecosystems: ['codex'],
    installCommand: '/plugin install helper@market',
    sourceUrl: 'https://example.org',
  }
  expect(installConfigsOf(plugin, {})).toMatchObject([{ client: 'CODEX', content: '/plugin install helper@market' }])
  expect(installConfigsOf(plugin, { client: 'CURSOR' })).toEqual([])
})
