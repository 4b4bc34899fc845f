import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestStore } from '../subgraphs/store/support/store.ts'
import { forwarding } from './forwarding.ts'
import { type McpStack, startMcpStack } from './stack.ts'

const PROGRAM = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')

/**
 * Scenarios that call tools, resources and prompts of a sample server made for them, by what they
 * call it. They are run all the same: what they say must be that the sample is missing, and nothing
 * else.
 */
const SAMPLE =
  /Expected the name of a (tool|prompt), one of|Resource not found: test:\/\/|^Not testable: server (does not list the diagnostic tool|exposes no tool with x-mcp-header)|'json_schema_2020_12_tool' not found/
/**
 * The same for scenarios about what these servers do not offer and do not claim to: completions of
 * arguments, and subscriptions to resources.
 */
const NOT_OFFERED: readonly string[] = ['completion-complete', 'resources-subscribe', 'resources-unsubscribe']
/** Scenarios that begin with a call of the sample and say nothing of it. */
const AFTER_SAMPLE: readonly string[] = ['input-required-result-multi-round', 'input-required-result-tampered-state']

/**
 * Scenarios that need no sample, by the version whose clients they are. All of their checks must
 * pass.
 */
const EVERY_2025 = [
  'server-initialize',
  'server-session-lifecycle',
  'logging-set-level',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
]
const SCENARIOS: Readonly<Record<string, readonly string[]>> = {
  '2025-06-18': EVERY_2025,
  '2025-11-25': [...EVERY_2025, 'server-sse-polling', 'server-sse-multiple-streams', 'dns-rebinding-protection'],
  '2026-07-28': [
    'tools-list',
    'resources-list',
    'prompts-list',
    'server-sse-multiple-streams',
    'sep-2164-resource-not-found',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'input-required-result-validate-input',
  ],
}

type Check = { readonly id: string; readonly status: string; readonly errorMessage?: string }

let stack: McpStack
let results: string
/**
 * The program knows no credentials: it asks here, and each request goes on with those of one of
 * these shops in turn, for one may ask 100 times a minute.
 */
let counter: Awaited<ReturnType<typeof forwarding>>
beforeAll(async () => {
  stack = await startMcpStack()
  const shops = await Promise.all(Array.from({ length: 20 }, () => stack.aStore()))
  let requestCount = 0
  counter = await forwarding(stack.url, () => {
    const { login, authtoken } = shops[requestCount++ % shops.length] as TestStore
    return { 'x-login-key': login, 'x-auth-token': authtoken }
  })
  results = mkdtempSync(join(tmpdir(), 'atrium-conformance-'))
})
afterAll(async () => {
  rmSync(results, { recursive: true, force: true })
  await counter.close()
  await stack.close()
})

describe.each(['directory', 'store', 'trust', 'graph'])('/mcp/%s', (server) => {
  test.each(Object.entries(SCENARIOS))('conforms to %s in all that needs no sample', async (version, needed) => {
    const failed = await failures(server, version)
    for (const scenario of needed) expect(failed.get(scenario), scenario).toEqual([])
    for (const [scenario, checks] of failed) {
      const others = checks.filter(({ errorMessage = '' }) => !SAMPLE.test(errorMessage))
      const excused = NOT_OFFERED.includes(scenario)
        ? others.filter(({ errorMessage }) => errorMessage !== 'Failed: Method not found')
        : others
      expect(AFTER_SAMPLE.includes(scenario) ? [] : excused, scenario).toEqual([])
    }
  })
})

/** Every scenario of a version and the checks of it that failed. */
async function failures(server: string, version: string): Promise<Map<string, readonly Check[]>> {
  const folder = join(results, server, version)
  const words = [
    PROGRAM,
    'server',
    '--url',
    `${server === 'store' ? counter.url : stack.url}/mcp/${server}`,
    '--suite',
    'all',
    '--spec-version',
    version,
    '-o',
    folder,
  ]
  // It ends with 1 where any scenario failed, those about the sample included.
  await new Promise<void>((ended) => execFile(process.execPath, words, { maxBuffer: 20_000_000 }, () => ended()))
  return new Map(
    globSync(join(folder, '*/checks.json')).map((file) => {
      const scenario = basename(dirname(file))
        .replace(/^server-/, '')
        .replace(/-\d{4}-\d\d-\d\dT.*$/, '')
      const checks = JSON.parse(readFileSync(file, 'utf8')) as readonly Check[]
      return [scenario, checks.filter(({ status }) => status === 'FAILURE')]
    }),
  )
}
