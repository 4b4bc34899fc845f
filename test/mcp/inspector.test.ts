import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aGoodHost, type TestKey } from '../subgraphs/trust/support/trust.ts'
import { type McpStack, startMcpStack } from './stack.ts'

/**
 * A folder in which `npm install @modelcontextprotocol/inspector` was run: it is as large as
 * everything else together, so the suite does without.
 */
const folder = process.env.MCP_INSPECTOR ?? ''
const program = join(folder, 'node_modules/.bin/mcp-inspector')
const isThere = folder !== '' && existsSync(program)

let stack: McpStack
let key: TestKey
let shop: { readonly login: string; readonly authtoken: string }
let home: string
beforeAll(async () => {
  stack = await startMcpStack()
  stack.sources.setEvidence('example.com', aGoodHost())
  key = await stack.aKey()
  shop = await stack.aStore()
  home = mkdtempSync(join(tmpdir(), 'atrium-inspector-'))
})
afterAll(async () => {
  rmSync(home, { recursive: true, force: true })
  await stack.close()
})

test.runIf(process.env.REQUIRE_INSPECTOR)('the Inspector is installed where it must be', () => {
  expect(isThere).toBe(true)
})

const CALLS = [
  { server: 'directory', tool: 'search_skills', args: ['query=postgres', 'limit=2'], shows: '"type": "skill"' },
  { server: 'store', tool: 'list_categories', args: ['limit=2'], shows: '"type": "text"' },
  { server: 'trust', tool: 'check_domain', args: ['domain=example.com'], shows: '"recommended_action": "proceed"' },
  { server: 'graph', tool: 'run_query', args: ['query={ skills(first: 1) { totalCount } }'], shows: '"totalCount": 27' },
] as const

test.runIf(isThere).each(CALLS)(
  "the Inspector's command line lists and calls the tools of $server",
  async ({ server, tool, args, shows }) => {
    const listed = await inspect(server, ['--method', 'tools/list'])
    expect(listed).toContain(`"name": "${tool}"`)
    const called = await inspect(server, ['--method', 'tools/call', '--tool-name', tool, '--tool-arg', ...args])
    expect(called).toContain(shows)
  },
)

async function inspect(server: string, words: readonly string[]): Promise<string> {
  const credentials =
    server === 'store'
      ? ['--header', `X-LOGIN-KEY: ${shop.login}`, '--header', `X-AUTH-TOKEN: ${shop.authtoken}`]
      : ['--header', `X-API-Key: ${key.secret}`]
  const target = ['--cli', `${stack.url}/mcp/${server}`, '--transport', 'http', ...credentials]
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...target, ...words], {
    env: { PATH: process.env.PATH, HOME: home },
    maxBuffer: 20_000_000,
  })
  return stdout
}
