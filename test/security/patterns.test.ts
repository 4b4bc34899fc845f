import { type ChildProcess, fork } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { afterAll, expect, test } from 'vitest'
import type { Heard, Pattern, TestedPattern } from './support/pump.ts'

const ROOT = join(import.meta.dirname, '../..')
const SOURCES = globSync('{subgraphs,gateway,platform,rest-facade,mcp,web,clients,cli,database}/**/*.{ts,js}', {
  cwd: ROOT,
  exclude: ['**/node_modules'],
})

/**
 * A match against 400,000 characters that takes longer is no linear one: those need a hundredth of
 * a second.
 */
const MATCH_TIMEOUT_MS = 8_000

/** For patterns that are known to be slow: they use a whole core until they are stopped. */
const SLOW_MATCH_TIMEOUT_MS = 1_500

type Found = Pattern & { readonly files: readonly string[] }

/** Every pattern that is written in our sources, once each, with where it is. */
function patterns(): ReadonlyMap<string, Found> {
  const found = new Map<string, Found>()
  for (const file of SOURCES) {
    const { program } = parseSync(file, readFileSync(join(ROOT, file), 'utf8'))
    new Visitor({
      Literal(node) {
        if (!('regex' in node)) return
        const { pattern, flags } = node.regex
        const name = `/${pattern}/${flags}`
        found.set(name, { pattern, flags, files: [...new Set([...(found.get(name)?.files ?? []), file])] })
      },
    }).visit(program)
  }
  return found
}

/**
 * Patterns that take long for long texts, where they may stand, and why nobody has any that are as
 * long.
 */
const BOUNDED: readonly { readonly name: string; readonly why: string; readonly files: RegExp }[] = [
  {
    name: '/\\/+$/',
    why: 'addresses of settings, and of who starts a program',
    files:
      /^(web|mcp)\/(\w+\/)?serve\.ts|^rest-facade\/http\/base-url\.ts|^cli\/|^clients\/trust\/client\.ts|^gateway\/observability\/tracing\.ts|subgraph\.ts|file\/variables\.ts|registry-api\.ts/,
  },
  { name: '/\\/*$/', why: 'addresses of registries, from the list of IANA', files: /collectors\/rdap\.ts$/ },
  { name: '/0+$/', why: 'four places of a number, a thousand of one that is read', files: /(store\/amount|wire\/scalars)\.ts$/ },
  { name: '/-+$/', why: '100 characters, cut before', files: /store\/text-key\.ts$/ },
  { name: '/^-+|-+$/g', why: '100 characters, cut before', files: /import\/text\.ts$/ },
  { name: '/_+([A-Za-z0-9])/g', why: 'names of the contract', files: /text\/case\.ts$/ },
  { name: '/^\\[?[0-9a-f:.]*:[0-9a-f:.]*%/i', why: '2,048 characters, looked at before', files: /pipeline\/normalise\.ts$/ },
  { name: '/!\\[[^\\]]*\\]\\([^)]*\\)/g', why: 'lines of 2,000 characters', files: /import\/readme\.ts$/ },
  { name: '/\\[([^\\]]*)\\]\\([^)]*\\)/g', why: 'lines of 2,000 characters', files: /import\/readme\.ts$/ },
  { name: '/\\{\\{[^}]*?([\\w-]+)\\}\\}/', why: '500 characters, cut before', files: /import\/docker\.ts$/ },
  {
    name: '/[\\p{L}\\p{N}]+(?:[_-][\\p{L}\\p{N}]+)+|\\p{Ll}+(?:\\p{Lu}\\p{Ll}+)+/gu',
    why: '200 characters, the longest query',
    files: /directory\/search\/search\.ts$/,
  },
]

let child: ChildProcess | null = null
afterAll(() => child?.kill('SIGKILL'))

/** Patterns of almost all characters, of which examples take for ever to make. */
const ENDLESS = /\[\^\\(0|P)|\\P\{/

/** How many texts were tried; null when nothing was heard for too long. */
async function pumped(
  { pattern, flags }: Pattern,
  { isGuessed = ENDLESS.test(pattern), timeoutMs = MATCH_TIMEOUT_MS } = {},
): Promise<number | null> {
  child ??= fork(join(import.meta.dirname, 'support/pump.ts'))
  const worker = child
  const { promise, resolve } = Promise.withResolvers<number | null>()
  let hasBegun = false
  // Starting the child, too, takes long on a busy machine.
  let timer = setTimeout(() => resolve(null), MATCH_TIMEOUT_MS)
  const onMessage = ({ count, isLast }: Heard) => {
    hasBegun = true
    clearTimeout(timer)
    if (isLast) return resolve(count)
    timer = setTimeout(() => resolve(null), timeoutMs)
  }
  worker.on('message', onMessage)
  const tested: TestedPattern = { pattern, flags, isGuessed }
  worker.send(tested)
  const result = await promise
  worker.off('message', onMessage)
  if (result !== null) return result
  worker.kill('SIGKILL')
  child = null
  return hasBegun ? null : pumped({ pattern, flags }, { isGuessed: true, timeoutMs })
}

test('the check sees what is quadratic and what is exponential, and lets pass what is linear', { timeout: 120_000 }, async () => {
  const slow = { timeoutMs: SLOW_MATCH_TIMEOUT_MS }
  expect(await pumped({ pattern: '^(a+)+$', flags: '' }, slow)).toBeNull()
  expect(await pumped({ pattern: '\\s+$', flags: '' }, slow)).toBeNull()
  expect(await pumped({ pattern: '^(\\w+)\\s*=\\s*(\\w+)$', flags: 'u' })).toBeGreaterThan(50)
})

test('no pattern of ours takes more than linear time, whatever it is given', { timeout: 900_000 }, async () => {
  const all = patterns()
  expect(all.size).toBeGreaterThan(100)
  const slow: string[] = []
  for (const [name, { files, ...pattern }] of all) {
    const bounded = BOUNDED.find((each) => each.name === name)
    const strange = bounded ? files.filter((file) => !bounded.files.test(file)) : files
    if (strange.length > 0 && (await pumped(pattern)) === null) slow.push(`${name} in ${strange.join(', ')}`)
  }
  expect(slow).toEqual([])
})

test('what is excused is there', () => {
  const all = patterns()
  expect(BOUNDED.filter(({ name }) => !all.has(name)).map(({ name }) => name)).toEqual([])
})
