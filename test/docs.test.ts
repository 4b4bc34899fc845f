import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { variables } from '../config.ts'
import { PROCESS_ROLES } from '../gateway/signed-link/variables.ts'

const ROOT = join(import.meta.dirname, '..')
test('compose.yaml sets variables that there are, in the same roles as a cluster, behind ports that its balancer has', () => {
  const { services } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true })
  const balancer = readFileSync(join(ROOT, 'composition/cluster/haproxy.cfg'), 'utf8')
  for (const role of PROCESS_ROLES.slice(1)) {
    const { environment } = services[role]
    expect(environment.ATRIUM_ROLE).toBe(role)
    expect(Object.keys(environment).filter((name) => !(name in variables))).toEqual([])
    for (const [name, value] of Object.entries<string>(environment)) {
      const [, other, port] = /^SUBGRAPH_(.*)_URL$/.test(name)
        ? [null, name.split('_')[1]?.toLowerCase(), value.split(':').at(-1)]
        : []
      if (port) expect(balancer).toContain(`listen ${other}\n  bind :${port}\n`)
    }
    expect(balancer).toMatch(new RegExp(`server-template ${role}- \\d+ ${role}:4000`))
  }
})

test('a container starts as `npm start` does', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const [, command = ''] =
    /^CMD (.*)$/m.exec(readFileSync(join(ROOT, 'Containerfile'), 'utf8').split('# No shell')[1] ?? '') ?? []
  expect(JSON.parse(command).join(' ')).toBe(scripts.start.split('exec ')[1])
})

/**
 * Folders of the PATH with a Node that cannot run TypeScript as it is, which the one that `npm ci`
 * installs can.
 */
const oldNodes = (process.env.PATH ?? '').split(delimiter).filter((folder) => {
  const node = join(folder, 'node')
  return existsSync(node) && Number(/^v(\d+)/.exec(execFileSync(node, ['--version'], { encoding: 'utf8' }))?.[1]) < 22
})

test.skipIf(oldNodes.length === 0)('the gateway by itself starts as README says, whatever Node the system has', async () => {
  const [, command = ''] = /`(SUPERGRAPH_FILE=[^`]*gateway\/main\.ts)`/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? []
  const env = { ...process.env, PATH: [...oldNodes, '/usr/bin', '/bin'].join(delimiter) }
  const started = promisify(execFile)('sh', ['-c', command], { cwd: ROOT, env })
  // It has been read and run: what it lacks is the file that README leaves to the reader.
  await expect(started).rejects.toMatchObject({ stderr: expect.stringMatching(/^SUPERGRAPH_FILE .*cannot be read/) })
})

test('no page runs TypeScript with the Node of the system', () => {
  const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
  const named = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/(?<!npx )\bnode [\w./-]+\.ts\b/g)].map(([text]) => `${page}: ${text}`),
  )
  expect(named).toEqual([])
})

test('docs/gateway.md names the replacement of every option of ApolloGateway', () => {
  const types = readFileSync(join(ROOT, 'node_modules/@apollo/gateway/dist/config.d.ts'), 'utf8')
  const configs = [...types.matchAll(/interface \w*GatewayConfig\w* (?:extends \w+ )?\{\n([\s\S]*?)\n\}/g)]
  const options = new Set(configs.flatMap(([, body = '']) => [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, name = '']) => name)))
  expect(options.size).toBeGreaterThan(20)
  const guide = readFileSync(join(ROOT, 'docs/gateway.md'), 'utf8')
  expect([...options].filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
})
