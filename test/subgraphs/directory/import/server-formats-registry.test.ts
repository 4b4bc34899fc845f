import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { installCommand } from '../../../../subgraphs/directory/import/command.ts'
import type { SourceFile, Statement } from '../../../../subgraphs/directory/import/contribution.ts'
import { parse } from '../../../../subgraphs/directory/import/parse.ts'
import { readers } from '../../../../subgraphs/directory/import/readers.ts'
import { serverStatement } from '../../../../subgraphs/directory/import/server.ts'
import { cleanText } from '../../../../subgraphs/directory/import/text.ts'
import { cleanUrl, repositoryOf } from '../../../../subgraphs/directory/import/url.ts'
import { compareVersions } from '../../../../subgraphs/directory/import/version.ts'

const SHARED = join(import.meta.dirname, '../../../../../shared/data/directory/mcp')
const ABSENT = existsSync(SHARED) ? '' : ' (skipped: ../shared/data/directory/mcp is absent)'

type Server = Extract<Statement, { kind: 'MCP_SERVER' }>

/**
 * Reads content as an import does: its objects have no prototype, which is where `String(value)`
 * throws.
 */
function read(path: string, content: unknown) {
  const parsed = parse(path, new TextEncoder().encode(JSON.stringify(content)))
  if ('fault' in parsed) throw new Error(parsed.fault.reason)
  const file: SourceFile = { origin: 'some/origin', path, text: parsed.text }
  const matching = readers.filter((reader) => reader.recognises(parsed.content, file))
  const answers = matching.map((reader) => reader.read(parsed.content, file))
  return {
    formats: matching.map(({ format }) => format),
    servers: answers.flatMap(({ contributions }) =>
      contributions.flatMap(({ statement }) => (statement.kind === 'MCP_SERVER' ? [statement] : [])),
    ),
    skipped: answers.flatMap(({ skipped }) => skipped.map(({ reason }) => reason)),
  }
}

const OFFICIAL = 'io.modelcontextprotocol.registry/official'
const CURRENT = {
  name: 'io.github.acme/rocket',
  title: 'Rocket',
  description: 'Launches things',
  version: '1.0.0',
  websiteUrl: 'https://rocket.example',
  repository: { url: 'https://github.com/acme/rocket', source: 'github', subfolder: 'src/rocket' },
  packages: [
    {
      registryType: 'npm',
      identifier: '@acme/rocket',
      version: '1.0.0',
      transport: { type: 'stdio' },
      environmentVariables: [{ name: 'KEY', description: 'k', isRequired: true, isSecret: true }],
    },
  ],
  remotes: [{ type: 'sse', url: 'https://mcp.rocket.example/sse' }],
}
const ROW = { server: CURRENT, _meta: { [OFFICIAL]: { status: 'active', publishedAt: '2026-01-01', isLatest: true } } }
const OLD = {
  id: '1',
  name: 'io.github.acme/rocket',
  description: 'x',
  repository: { url: 'https://github.com/acme/rocket' },
  version_detail: { version: '1.0.0', release_date: '2025-05-16', is_latest: true },
  packages: [{ registry_name: 'docker', name: 'acme/rocket', version: '', environment_variables: [{ name: 'KEY' }] }],
  remotes: [{ transport_type: '', url: 'https://mcp.rocket.example/sse' }],
}
const DOCKER = {
  name: 'rocket',
  image: 'mcp/rocket',
  type: 'server',
  meta: { category: 'space', tags: ['moon'] },
  about: { title: 'Rocket', description: 'x', icon: 'x' },
  source: { project: 'https://github.com/acme/rocket', directory: 'src' },
  remote: { transport_type: 'sse', url: 'https://mcp.rocket.example/sse' },
  config: {
    secrets: [{ name: 'a', env: 'KEY' }],
    env: [{ name: 'URL', value: '{{rocket.url}}' }],
    parameters: { required: ['url'] },
  },
}
const TOOLHIVE = {
  name: 'rocket',
  description: 'x',
  tier: 'Community',
  status: 'Active',
  transport: 'stdio',
  repository_url: 'https://github.com/acme/rocket',
  image: 'ghcr.io/acme/rocket:1.0',
  metadata: { stars: 7, pulls: 1 },
  tags: ['moon'],
  env_vars: [{ name: 'KEY', required: true, secret: true }],
}
const SHAPES: readonly (readonly [string, string, unknown])[] = [
  ['a server.json', 'server.json', CURRENT],
  ['a page of the API', 'page.json', { servers: [ROW], metadata: { count: 1 } }],
  ['the old list', 'seed.json', [OLD]],
  ['docker', 'servers/rocket/server.yaml', DOCKER],
  ['toolhive', 'registry/rocket/spec.yaml', TOOLHIVE],
]

const HOSTILE: readonly unknown[] = [
  null,
  true,
  -1,
  1e300,
  '',
  [],
  [[]],
  [null],
  {},
  { url: {} },
  JSON.parse('{"__proto__": {"name": "x"}, "constructor": {}}'),
  '__proto__',
  'constructor',
  '../../..',
  '-rf',
  'a; rm -rf /',
  '$(id)',
  '`id`',
  'a\nrm -rf /',
  'a\u0000b',
  'a\u202eb',
  'javascript:alert(1)',
  'javascript:alert',
  'file:///etc/passwd',
  'file:/etc/passwd',
  'https://user:secret@e.org/x',
  'https://e.org/$(id)',
  'https://github.com/acme/rocket; id',
  'https://github.com/acme/rocket\n/x',
  'https://github.com/acme/rocket/tree/main/%2e%2e%2f%2e%2e%2fx',
  'github:evil/x',
  'x'.repeat(100_000),
  'ü'.repeat(1_900),
  `https://e.org/${'ü'.repeat(1_900)}`,
]

/** Copies of `content` with one value, at any depth, replaced by another. */
function* replaced(content: unknown, value: unknown): Generator<unknown> {
  if (typeof content !== 'object' || content === null) return
  for (const [key, child] of Object.entries(content)) {
    const put = (other: unknown) =>
      Array.isArray(content) ? content.map((one, index) => (String(index) === key ? other : one)) : { ...content, [key]: other }
    yield put(value)
    for (const inner of replaced(child, value)) yield put(inner)
  }
}

/**
 * Words that are safe in a shell, and do not make a package manager or a client take something else
 * than a published name.
 */
const COMMAND =
  /^(npx -y [@\w./+-]+( [\w./:@=+-]+)*|uvx [@\w.=+-]+( [\w./:@=+-]+)*|dnx [@\w.+-]+ --yes|docker run -i --rm( -p 127\.0\.0\.1:\d+:\d+| -v (\/path\/to\/)?\w[\w.-]*:\/[\w./-]+(:ro)?| -e \w+(=[\w./:@+-]*)?)* [a-z0-9][\w./:@-]*( [\w./:@=+-]+)*|thv run [\w.@/:=+][\w.@/:=+-]*|docker mcp server enable [\w.@/:=+][\w.@/:=+-]*|claude mcp add --transport (http|sse) [\w-]+ https?:[\w.@/:=+-]+)$/

/** Which rule a record breaks that can be shown, linked and pasted without a second look. */
function faultsOf({ key, name, description, installCommand: command, docsUrl, repoUrl, envVars, tags, stars }: Server): string[] {
  const texts = [name, description, ...tags, ...envVars.map((variable) => variable.description)].filter((text) => text !== null)
  const rules: readonly (readonly [string, boolean])[] = [
    ['key', /^[A-Za-z0-9_][A-Za-z0-9._-]*\/[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(key)],
    ['command', command === null || (command.length <= 4_000 && COMMAND.test(command) && !command.includes('secret@'))],
    ['address', [docsUrl, repoUrl].every((url) => url === null || cleanUrl(url) === url)],
    // A folder that leads upwards would be another repository.
    ['repository', repoUrl === null || (repositoryOf(repoUrl) !== null && !/\.\.|%2e%2e|%2f/i.test(repoUrl))],
    ['text', texts.every((text) => text.length <= 2_000 && !/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(text))],
    ['variables', envVars.every((variable) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(variable.name))],
    ['stars', stars === null || (Number.isInteger(stars) && stars >= 0 && stars <= 2_147_483_647)],
  ]
  return rules.filter(([, holds]) => !holds).map(([rule]) => rule)
}

describe('random values at every path of a file', () => {
  test.each(SHAPES)('%s gives records that are safe to show and paste, or a reason', (_, path, content) => {
    expect(read(path, content)).toMatchObject({ formats: [expect.any(String)], servers: [{}], skipped: [] })
    for (const value of HOSTILE) {
      for (const changed of replaced(content, value)) {
        const { formats, servers, skipped } = read(path, changed)
        const shown = JSON.stringify(changed).slice(0, 2_000)
        expect(formats.length, shown).toBeLessThanOrEqual(1)
        if (formats.length === 1) expect(servers.length + skipped.length, shown).toBe(1)
        for (const server of servers) expect(faultsOf(server), shown).toEqual([])
      }
    }
  })

  test('one bad row of a page costs the others nothing', () => {
    const other = (name: string) => ({ server: { ...CURRENT, name } })
    const bad = [null, 5, {}, { server: { ...CURRENT, name: {} } }, { server: { ...CURRENT, version: {} } }]
    const { servers, skipped } = read('page.json', { servers: [other('a.b/c'), ...bad, other('d.e/f')], metadata: {} })
    expect(servers).toHaveLength(4)
    expect(skipped).toEqual([1, 2, 3].map((index) => `servers[${index}]: is no record of a server`))
  })
})

describe('a command names what is published under that name', () => {
  test.each([
    ['npm', 'file:/etc/passwd', null],
    ['npm', 'owner/repository', null],
    ['npm', 'a@npm:b', null],
    ['npm', '@scope/a', 'npx -y @scope/a@2.0.0'],
    ['npm', 'a@1.0.0', 'npx -y a@1.0.0'],
    ['pypi', 'owner/repository', null],
    ['pypi', 'a==1.0.0', 'uvx a==1.0.0'],
    ['nuget', 'A.B', 'dnx A.B@2.0.0 --yes'],
    ['oci', '@scope/a', null],
    ['oci', '/etc/passwd', null],
    ['oci', 'localhost:5000/a/b:1.0', 'docker run -i --rm localhost:5000/a/b:1.0'],
    ['oci', `ghcr.io/a/b@sha256:${'0'.repeat(64)}`, `docker run -i --rm ghcr.io/a/b@sha256:${'0'.repeat(64)}`],
  ] as const)('%s %s', (from, name, command) => {
    expect(installCommand({ from, name, version: '2.0.0' })).toBe(command)
  })

  test.each([
    ['com.acme/rocket', 'https://e.org/mcp', 'claude mcp add --transport http com-acme-rocket https://e.org/mcp'],
    ['rocket', 'https://user:secret@e.org/mcp', null],
    ['rocket', 'file:///etc/passwd', null],
    ['rocket', 'javascript:alert', null],
    ['rocket', 'https://e.org/{tenant}/mcp', null],
    ['...', 'https://e.org/mcp', null],
  ])('the remote server %s at %s', (name, url, command) => {
    expect(installCommand({ from: 'remote', name, url, transport: 'http' })).toBe(command)
  })

  test.each(['constructor', '__proto__', 'toString'])('what is published by %s is published nowhere', (runtime) => {
    const toolsdk = { type: 'mcp-server', packageName: '@acme/rocket', url: 'https://github.com/acme/rocket', runtime }
    expect(read('packages/space/x.json', toolsdk).servers).toMatchObject([{ installCommand: null }])
    const packages = [{ registryType: runtime, identifier: '@acme/rocket' }]
    expect(read('x.json', { ...CURRENT, packages, remotes: [] }).servers).toMatchObject([{ installCommand: null }])
  })

  test('no URL on the machine of the author is listed', () => {
    const { servers } = read('x.json', { ...CURRENT, packages: [], remotes: [{ type: 'sse', url: 'http://localhost:3000/sse' }] })
    expect(servers).toMatchObject([{ installCommand: null, transport: 'sse' }])
  })

  test('a variable of two packages is listed once, and a command too long to read is dropped', () => {
    const withNames = (names: readonly string[]) => {
      const one = { registryType: 'oci', identifier: 'mcp/a', environmentVariables: names.map((name) => ({ name })) }
      return read('x.json', { ...CURRENT, packages: [one, one], remotes: [] }).servers[0]?.installCommand
    }
    expect(withNames(['KEY'])).toBe('docker run -i --rm -e KEY mcp/a')
    expect(withNames(Array.from({ length: 100 }, (_, index) => `${'A'.repeat(90)}${index}`))).toBeNull()
  })
})

describe('ambiguous URLs are normalised or dropped', () => {
  test.each([
    ['ssh://git@github.com:22/a/b.git', 'a/b'],
    ['https://gitlab.com/group/subgroup/project', 'group/subgroup/project'],
    ['https://gitlab.com/group/subgroup/project/-/tree/main/src/c', 'group/subgroup/project/src/c'],
    ['https://gitlab.com/a/b/-/tree/main/c', 'a/b/c'],
    ['https://git.acme.example/team/rocket', 'team/rocket'],
    ['git@code.acme.example:team/rocket.git', 'team/rocket'],
    ['https://acme.example/team/rocket.git', 'team/rocket'],
    ['https://acme.example/team/rocket', null],
    ['https://github.com/a/b\nc', null],
    ['https://github.com/a/b/tree/main/my%20folder', 'a/b/my folder'],
    ['https://github.com/a/b/tree/main/%2e%2e%2fc', 'a/b'],
    ['https://github.com/a/b/tree/main/%ff', 'a/b'],
  ])('%s is the repository %s', (address, expected) => {
    const found = repositoryOf(address)
    expect(found && [found.owner, found.repo, found.subfolder].filter(Boolean).join('/')).toBe(expected)
  })

  test.each([
    [{ repository: 'https://github.com/a/b/tree/main/my%20folder' }, 'https://github.com/a/b/tree/HEAD/my%20folder'],
    [{ repository: 'https://github.com/a/b', subfolder: './src/c/' }, 'https://github.com/a/b/tree/HEAD/src/c'],
    [{ repository: 'https://github.com/a/b', subfolder: 'c/../../../../evil/x' }, 'https://github.com/a/b'],
  ])('%j links to %s', (stated, repoUrl) => {
    expect(serverStatement({ ...stated, names: ['x'] })).toMatchObject({ repoUrl })
  })

  test('a URL that gets too long by encoding is dropped', () => {
    expect(cleanUrl(`https://e.org/${'ü'.repeat(1_900)}`)).toBeNull()
  })

  test('an image is the same server under any tag or digest', () => {
    const repository = 'https://github.com/modelcontextprotocol/servers'
    for (const name of [
      'mcp/git',
      'mcp/git:latest',
      `mcp/git:1.0@sha256:${'a'.repeat(64)}`,
      '@modelcontextprotocol/server-git@1.0.0',
    ])
      expect(serverStatement({ repository, names: [name] })).toMatchObject({
        identity: 'github.com/modelcontextprotocol/servers#git',
      })
  })
})

test.each([
  ['1.0.0-rc.10', '1.0.0-rc.9', 1],
  ['1.0.0-alpha', '1.0.0-alpha.1', -1],
  ['1.0.0-1', '1.0.0-alpha', -1],
  ['1.0.0-beta', '1.0.0-alpha', 1],
])('the version %s against %s', (one, other, order) => {
  expect(compareVersions(one, other)).toBe(order)
  expect(compareVersions(other, one)).toBe(-order)
})

test('invisible characters are removed before characters are composed', () => {
  expect(cleanText('p\u00ada\u034fy\u3164pal e\u200b\u0301', 50)).toBe('paypal \u00e9')
})

describe('the real files', () => {
  const EXPECTED: readonly (readonly [string, string, number, number])[] = [
    ['modelcontextprotocol+registry/data', 'registry', 464, 7],
    ['upstash+context7', 'registry', 1, 0],
    ['github+github-mcp-server', 'registry', 1, 0],
    ['domdomegg+airtable-mcp-server', 'registry', 1, 0],
    ['microsoft+playwright-mcp', 'registry', 1, 0],
    ['docker+mcp-registry', 'docker', 328, 0],
    ['stacklok+toolhive-registry', 'toolhive', 45, 0],
  ]

  test.skipIf(ABSENT !== '').each(EXPECTED)(`of %s are %s: %i records, %i skipped${ABSENT}`, (folder, format, records, skips) => {
    const counts = { servers: 0, skipped: 0 }
    for (const path of globSync('**/*.{json,yaml}', { cwd: join(SHARED, folder) })) {
      const parsed = parse(path, readFileSync(join(SHARED, folder, path)))
      if ('fault' in parsed) throw new Error(`${path} ${parsed.fault.reason}`)
      const file = { origin: folder.replace('+', '/'), path, text: parsed.text }
      const matching = readers.filter((reader) => reader.recognises(parsed.content, file))
      expect(
        matching.map((reader) => reader.format),
        path,
      ).toEqual([format])
      const { contributions, skipped } = matching[0]?.read(parsed.content, file) ?? { contributions: [], skipped: [] }
      counts.servers += contributions.length
      counts.skipped += skipped.length
      for (const { statement } of contributions)
        if (statement.kind === 'MCP_SERVER') expect(faultsOf(statement), path).toEqual([])
    }
    expect(counts).toEqual({ servers: records, skipped: skips })
  })
})
