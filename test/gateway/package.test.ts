import { execFile, spawn } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reviewSubgraph, shopSubgraph, supergraphSdl } from './support/graph.ts'
import { type Remote, serveRemote } from './support/remote.ts'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

type Manifest = {
  readonly exports: Record<string, string | { readonly types: string; readonly default: string }>
  readonly dependencies: Record<string, string>
  readonly devDependencies: Record<string, string>
  readonly peerDependencies: Record<string, string>
  readonly peerDependenciesMeta: Record<string, { readonly optional: boolean }>
}
const manifest = JSON.parse(read('gateway/package.json')) as Manifest
const root = JSON.parse(read('package.json')) as Manifest

/** Bytes of the tarball, and of its files. What grows beyond is looked at before it is allowed. */
const MAX_TARBALL_BYTES = 450_000
const MAX_UNPACKED_BYTES = 1_650_000

/** A project of somebody who installs the package: nothing else is in it. */
const project = mkdtempSync(join(tmpdir(), 'atrium-gateway-package-'))
const installed = join(project, 'node_modules/@atrium/gateway')
const servers: Remote[] = []
let tarball = ''
/** npm's message where its registry cannot be reached; null where the package was installed. */
let offline: string | null = null

beforeAll(async () => {
  await run(process.execPath, ['scripts/pack-gateway.ts', project], { cwd: ROOT })
  tarball = globSync(join(project, '*.tgz'))[0] ?? ''
  writeFileSync(join(project, 'package.json'), '{"type":"module","private":true}')
  servers.push(await serveRemote(shopSubgraph()), await serveRemote(reviewSubgraph()))
  const [shop, review] = servers.map(({ url }) => url) as [string, string]
  writeFileSync(join(project, 'supergraph.graphql'), supergraphSdl({ shop, review }))
  try {
    await run('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd: project, timeout: 300_000 })
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/.test(stderr)) throw error
    offline = `npm cannot reach its registry, so the package is not installed:\n${stderr.slice(0, 300)}`
    console.warn(offline)
  }
}, 360_000)
afterAll(() => {
  for (const { server } of servers) server.close().closeAllConnections()
  rmSync(project, { recursive: true, force: true })
})

/** Runs a module in the project; what it prints. */
async function output(source: string): Promise<string> {
  writeFileSync(join(project, 'program.js'), source)
  const { stdout } = await run(process.execPath, ['program.js'], { cwd: project, timeout: 60_000 })
  return stdout.trim()
}

describe('the manifest', () => {
  test('has the versions of the repository, exactly', () => {
    for (const [name, version] of Object.entries(manifest.dependencies)) {
      expect([name, version]).toEqual([name, root.dependencies[name]])
    }
    const all = { ...root.devDependencies, ...root.dependencies }
    for (const [name, range] of Object.entries(manifest.peerDependencies)) expect([name, range]).toEqual([name, `^${all[name]}`])
  })

  test('names every package that its code imports, and no other', () => {
    // Types of @types/node are the user's own; the explorer looks for its packages by itself.
    const files = globSync('dist/**/*.{js,d.ts}', { cwd: unpacked })
    const imported = new Set(
      files.flatMap((file) =>
        [
          ...readFileSync(join(unpacked, file), 'utf8').matchAll(/(?:from|import|require)\s*\(?\s*['"](@?[\w-][\w./-]*)['"]/g),
        ].map(([, name = '']) =>
          name
            .split('/')
            .slice(0, name.startsWith('@') ? 2 : 1)
            .join('/'),
        ),
      ),
    )
    const named = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).sort()
    // The template of a configuration file imports the package itself.
    imported.delete('@atrium/gateway')
    expect([...imported].filter((name) => !name.startsWith('node:')).sort()).toEqual(named)
  })
})

let unpacked = ''
beforeAll(async () => {
  unpacked = mkdtempSync(join(project, 'unpacked-'))
  await run('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1'])
})

describe('the tarball', () => {
  test('stays within its size budget, and has compiled code and texts only', () => {
    const files = globSync('**/*', { cwd: unpacked, withFileTypes: true }).filter((entry) => entry.isFile())
    const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
    expect(statSync(tarball).size).toBeLessThan(MAX_TARBALL_BYTES)
    expect(bytes).toBeLessThan(MAX_UNPACKED_BYTES)
    const names = globSync('*', { cwd: unpacked }).sort()
    expect(names).toEqual(['CHANGELOG.md', 'LICENSE', 'NOTICE', 'README.md', 'dist', 'package.json'])
    expect(globSync('dist/*', { cwd: unpacked }).sort()).toEqual(['dist/gateway', 'dist/platform'])
    expect(globSync('dist/**/*', { cwd: unpacked }).filter((file) => /(?<!\.d)\.ts$/.test(file))).toEqual([])
  })

  test('loads undici from npm: that of Bun has no pools', () => {
    const files = globSync('dist/**/*.js', { cwd: unpacked })
    expect(files.filter((file) => /from ['"]undici['"]/.test(readFileSync(join(unpacked, file), 'utf8')))).toEqual([])
  })

  test('has the files that its entries name, and those that these import', () => {
    const paths = Object.values(manifest.exports).flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry)))
    expect(paths.length).toBeGreaterThan(4)
    for (const path of paths) expect(statSync(join(unpacked, path)).isFile(), path).toBe(true)
    const imported = globSync('dist/**/*.{js,d.ts}', { cwd: unpacked }).flatMap((file) =>
      [...readFileSync(join(unpacked, file), 'utf8').matchAll(/(?:from |import\()["'](\.[^"']+)["']/g)].map(([, path = '']) =>
        join(dirname(file), file.endsWith('.d.ts') ? path.replace(/\.[jt]s$/, '.d.ts') : path),
      ),
    )
    expect(imported.length).toBeGreaterThan(1_000)
    expect(imported.filter((path) => !existsSync(join(unpacked, path)))).toEqual([])
  })
})

const ACROSS = '{ latestReview { text about { name } } product(id: "c") { name rating } }'
const DATA = { latestReview: { text: 'Fine.', about: { name: 'Product b' } }, product: { name: 'Product c', rating: 0 } }

/** Other runtimes, where they are installed: programs of the path, or of BUN and DENO. */
const RUNTIMES = [
  { name: 'Bun', file: programOf('bun'), args: [], serve: 'Bun.serve({ port: 0, fetch: gateway.fetch })' },
  { name: 'Deno', file: programOf('deno'), args: ['run', '-A'], serve: 'Deno.serve({ port: 0, onListen() {} }, gateway.fetch)' },
]

function programOf(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(':')
  return process.env[name.toUpperCase()] ?? folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
}

describe('installed in an empty project', () => {
  test('createGateway queries across two subgraph servers, by the Fetch API', async ({ skip }) => {
    if (offline) skip(offline)
    const text = await output(`
      import { readFileSync } from 'node:fs'
      import { createGateway } from '@atrium/gateway'
      const gateway = await createGateway({ supergraph: readFileSync('supergraph.graphql', 'utf8') })
      const response = await gateway.fetch(new Request('http://localhost/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: ${JSON.stringify(ACROSS)} }),
      }))
      console.log(JSON.stringify({ status: response.status, ...(await response.json()) }))
      await gateway.close()`)
    expect(JSON.parse(text)).toEqual({ status: 200, data: DATA })
  })

  test.for(RUNTIMES)(
    'the Fetch handler runs under $name, in the process and behind its server',
    async ({ file, args, serve, name }, { skip }) => {
      if (offline) skip(offline)
      if (!file) return skip(`${name} is not installed`)
      writeFileSync(
        join(project, 'runtime.js'),
        `import { readFileSync } from 'node:fs'
       import { createGateway } from '@atrium/gateway'
       const gateway = await createGateway({ supergraph: readFileSync('supergraph.graphql', 'utf8') })
       const ask = (url, headers) => new Request(url, {
         method: 'POST',
         headers: { 'content-type': 'application/json', ...headers },
         body: JSON.stringify({ query: ${JSON.stringify(ACROSS)} }),
       })
       const own = await gateway.fetch(ask('http://localhost/graphql'))
       const events = await (await gateway.fetch(ask('http://localhost/graphql', { accept: 'text/event-stream' }))).text()
       const server = ${serve}
       const served = await fetch(ask('http://localhost:' + (server.port ?? server.addr.port) + '/graphql'))
       console.log(JSON.stringify([await own.json(), await served.json(), events.includes('event: complete')]))
       await (server.stop ? server.stop(true) : server.shutdown())
       await gateway.close()`,
      )
      const { stdout } = await run(file, [...args, 'runtime.js'], { cwd: project, timeout: 60_000 })
      expect(JSON.parse(stdout)).toEqual([{ data: DATA }, { data: DATA }, true])
    },
  )

  test('every entry can be imported when nothing optional is installed', async ({ skip }) => {
    if (offline) skip(offline)
    const names = Object.keys(manifest.exports)
      .filter((entry) => !entry.endsWith('.json'))
      .map((entry) => entry.replace(/^\./, '@atrium/gateway'))
    const imports = names.map((name) => `Object.keys(await import('${name}')).length > 0`)
    expect(await output(`console.log([${imports.join(', ')}].join())`)).toBe(names.map(() => 'true').join())
  })

  test('its types compile in a strict program', async ({ skip }) => {
    if (offline) skip(offline)
    writeFileSync(
      join(project, 'use.ts'),
      `import { createGateway } from '@atrium/gateway'
       import { serveGateway } from '@atrium/gateway/server'
       const gateway = await createGateway({ supergraph: '', subgraphs: { shop: { url: 'http://localhost' } }, limits: { cost: 5 } })
       const { url }: { url: string } = await serveGateway(gateway, { port: 0 })
       const response: Response = await gateway.fetch(new Request(url))
       // @ts-expect-error: a limit is a number
       await createGateway({ supergraph: '', limits: { cost: 'much' } })
       console.log(response.status)`,
    )
    const types = join(ROOT, 'node_modules/@types')
    const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024', '--skipLibCheck', '--types', 'node']
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const result = await run(process.execPath, [tsc, ...flags, '--typeRoots', types, 'use.ts'], { cwd: project }).catch(
      (error: { stdout: string }) => error,
    )
    expect(result.stdout).toBe('')
  })

  test('atrium-gateway serves a file, and ends on SIGTERM', async ({ skip }) => {
    if (offline) skip(offline)
    const command = join(project, 'node_modules/.bin/atrium-gateway')
    const child = spawn(
      process.execPath,
      [command, '--supergraph', 'supergraph.graphql', '--port', '0', '--log-level', 'silent'],
      {
        cwd: project,
        env: { PATH: process.env.PATH },
      },
    )
    let printed = ''
    child.stderr.on('data', (chunk) => {
      printed += chunk
    })
    const ended = new Promise((resolve) => child.once('close', resolve))
    await expect.poll(() => printed).toContain('ready')
    const url = /http:\S+/.exec(printed)?.[0] ?? ''
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: ACROSS }),
    })
    expect(await response.json()).toEqual({ data: DATA })
    // GraphiQL is not a dependency of the package.
    expect((await fetch(url, { headers: { accept: 'text/html' } })).headers.get('content-type')).toContain('json')
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  test.each([
    { flags: ['--supergrap', 'x'], says: /^Unknown option '--supergrap'.*See --help/ },
    { flags: ['extra'], says: /^Unexpected argument 'extra'.*See --help/s },
    { flags: [], says: /^Expected SUPERGRAPH_FILE to name a file .* or --supergraph FILE/ },
    { flags: ['--supergraph', 'none.graphql'], says: /none\.graphql cannot be read/ },
    {
      flags: ['--supergraph', 'supergraph.graphql', '--port', '70000'],
      says: /^Expected PORT to be a whole number from 0 to 65535/,
    },
  ])('atrium-gateway $flags ends with a sentence', async ({ flags, says }) => {
    const failed = await run(process.execPath, [join(ROOT, 'gateway/main.ts'), ...flags]).then(
      () => ({ code: 0, stderr: '' }),
      (error: { code: number; stderr: string }) => error,
    )
    expect(failed.code).toBe(1)
    expect(failed.stderr).toMatch(says)
    expect(failed.stderr).not.toMatch(/^\s+at /m)
  })

  test('is what was packed', ({ skip }) => {
    if (offline) skip(offline)
    expect(statSync(join(installed, 'dist/gateway/main.js')).isFile()).toBe(true)
  })
})
