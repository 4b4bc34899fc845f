import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { shellWord } from '../../subgraphs/directory/import/command.ts'
import { importPaths } from '../../subgraphs/directory/import/import.ts'
import { askRaw } from './ask.ts'
import { breaches } from './contract.ts'
import { startStack } from './stack.ts'

const SHARED = join(import.meta.dirname, '../../../shared/data/directory')
const isHere = existsSync(SHARED)

/** Paths of a list and of its items, and how an entry of the list leads to its item. */
const DATASETS = [
  { list: '/api/mcp', item: '/api/mcp/{owner}/{repo}', parts: ['owner', 'repo'], atLeast: 5_000 },
  { list: '/api/plugins', item: '/api/plugins/{marketplace}/{plugin}', parts: ['marketplaceSlug', 'slug'], atLeast: 500 },
  { list: '/api/skills', item: '/api/skills/{slug}', parts: ['slug'], atLeast: 900 },
] as const

describe.skipIf(!isHere)(`over the real directory${isHere ? '' : ' (skipped: ../shared/data/directory is absent)'}`, () => {
  let stack: Awaited<ReturnType<typeof startStack>>
  beforeAll(async () => {
    const log = pino({ level: 'silent' })
    const { signal } = new AbortController()
    stack = await startStack(({ connection }) => importPaths([SHARED], { connection, log, signal }))
  })
  afterAll(() => stack?.close())

  test.each(DATASETS)(
    '$list: every page, every item of it once, and every detail keep the contract',
    async ({ list, item, parts, atLeast }) => {
      const faults: string[] = []
      const keys = new Set<string>()
      let total = Number.POSITIVE_INFINITY
      for (let offset = 0; offset < total; offset += 100) {
        const { json } = await askRaw(stack.url, `${list}?limit=100&offset=${offset}`)
        faults.push(...breaches(list, 200, json))
        total = json.total
        for (const entry of json.results) keys.add(parts.map((part) => encodeURIComponent(entry[part])).join('/'))
      }
      expect(keys.size).toBe(total)
      expect(total).toBeGreaterThanOrEqual(atLeast)

      for (const key of keys) {
        const { status, json } = await askRaw(stack.url, `${list}/${key}`)
        if (status !== 200) faults.push(`${key} answers ${status}`)
        faults.push(...breaches(item, 200, json).map((fault) => `${key}: ${fault}`))
        if (!isSafeToPaste(json.installCommand)) faults.push(`${key}: ${json.installCommand}`)
      }
      expect(faults).toEqual([])
    },
    120_000,
  )

  test('a plugin for several agents is listed under the requested one', async () => {
    const { json } = await askRaw(stack.url, '/api/plugins?ecosystem=cursor&limit=100')
    expect(json.total).toBeGreaterThan(0)
    expect(new Set(json.results.map(({ ecosystem }: { ecosystem: string }) => ecosystem))).toEqual(new Set(['cursor']))
  })

  test('stats and categories count the same items', async () => {
    const { json: stats } = await askRaw(stack.url, '/api/stats')
    const { json: categories } = await askRaw(stack.url, '/api/categories')
    const sum = (counts: readonly { count: number }[]) => counts.reduce((all, { count }) => all + count, 0)
    expect([sum(categories.mcp), sum(categories.skills)]).toEqual([stats.tools, stats.skills])
    expect(breaches('/api/stats', 200, stats)).toEqual([])
    expect(breaches('/api/categories', 200, categories)).toEqual([])
  })

  test('"github mcp server" has GitHub\'s own among the first three, "postgress" finds postgres, "100%" is no wildcard', async () => {
    const results = async (q: string) =>
      (await askRaw(stack.url, `/api/search?type=mcp&limit=25&q=${encodeURIComponent(q)}`)).json.results
    const first = (await results('github mcp server')).slice(0, 3)
    expect(first.map(({ url }: { url: string }) => url)).toContain(`${stack.publicUrl}/mcp/github/github-mcp-server`)
    expect(JSON.stringify(await results('postgress'))).toMatch(/postgres/i)
    const hundreds = await results('100%')
    expect(hundreds.length).toBeLessThan(25)
    for (const { name, description, url } of hundreds) expect(`${name} ${description} ${url}`).toMatch(/100/)
  })
})

/**
 * Words that a shell reads as themselves; what a plugin installs with is two lines for the agent,
 * not for a shell.
 */
function isSafeToPaste(command: string | undefined): boolean {
  if (command === undefined || command.startsWith('/plugin ')) return true
  return command.split(' ').every((word) => shellWord(word.replace(/^--?(?=[A-Za-z])/, '')) !== null)
}
