import { execFile, spawn } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** A project with the packed gateway; other packages are those of the repository. */
const project = mkdtempSync(join(tmpdir(), 'atrium-apollo-server-'))
beforeAll(async () => {
  await run(process.execPath, ['scripts/pack-gateway.ts', project], { cwd: ROOT })
  const modules = join(project, 'node_modules')
  mkdirSync(join(modules, '@atrium/gateway'), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!name.startsWith('.') && name !== '@atrium') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
  const tarball = globSync(join(project, '*.tgz'))[0] ?? ''
  await run('tar', ['-xzf', tarball, '-C', join(modules, '@atrium/gateway'), '--strip-components=1'])
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
  copyFileSync(join(ROOT, 'examples/apollo-server/server.ts'), join(project, 'server.ts'))
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

test('Apollo Server answers across two subgraphs with the packed gateway, with limits and headers', async () => {
  const child = spawn(process.execPath, ['server.ts'], {
    cwd: project,
    env: { PATH: process.env.PATH, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const ended = new Promise((resolve) => child.once('close', resolve))
  await expect.poll(() => lines.find((line) => line.includes('http'))).toMatch(/^Apollo Server with Atrium's gateway: http/)
  const url = /http:\S+/.exec(lines.join('\n'))?.[0] ?? ''
  const send = async (query: string) => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer mine' }
    return (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) })).json()
  }
  expect(await send('{ caller products { name reviews { text product { name } } } }')).toEqual({
    data: {
      caller: 'Bearer mine',
      products: [
        { name: 'Jug', reviews: [{ text: 'Pours well.', product: { name: 'Jug' } }] },
        { name: 'Bowl', reviews: [] },
      ],
    },
  })
  const deep = `{ products { ${'reviews { product { '.repeat(5)} name ${'} } '.repeat(5)} } }`
  expect(await send(deep)).toMatchObject({ errors: [{ extensions: { code: 'DEPTH_LIMIT_EXCEEDED' } }] })
  child.kill('SIGTERM')
  await ended
})
