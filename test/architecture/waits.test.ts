import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ts } from '@ts-morph/common'
import { describe, expect, test } from 'vitest'
import { SOURCES } from './support/sources.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Of `expect.poll`, as vitest.config.ts has it; that of `vi.waitFor` and `vi.waitUntil` is a second. */
const DEFAULT_TIMEOUT_MS = 15_000

/** Calls that wait for less time than the default of `expect.poll`. */
function shortWaits(file: string, text: string): readonly string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const name = node.expression.getText().replaceAll(/\s/g, '')
      const options = node.arguments[1]?.getText() ?? ''
      const given = /^[\d_]+$/.test(options) ? options : /\btimeout: ([\d_]+)/.exec(options)?.[1]
      const timeoutMs = given === undefined ? null : Number(given.replaceAll('_', ''))
      const isShort =
        name === 'expect.poll'
          ? timeoutMs !== null && timeoutMs < DEFAULT_TIMEOUT_MS
          : /^vi\.wait(For|Until)$/.test(name) && (timeoutMs ?? 0) < DEFAULT_TIMEOUT_MS
      if (isShort) found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

test('a test waits as long as a busy machine may take: 15 seconds or more', () => {
  const texts = SOURCES.filter((file) => file.startsWith('test/')).map((file) => ({
    file,
    text: readFileSync(join(ROOT, file), 'utf8'),
  }))
  // Few name a time, and parsing a file takes longer than reading it.
  const candidates = texts.filter(({ text }) => text.includes('vi.wait') || (/timeout: \d/.test(text) && text.includes('.poll(')))
  expect(candidates.flatMap(({ file, text }) => shortWaits(file, text))).toEqual([])
})

describe('a wait that is too short is found', () => {
  test.each([
    ['vi.waitFor(() => expect(count).toBe(1))', 1],
    ['vi.waitFor(\n  async () => expect(await count()).toBe(1),\n)', 1],
    ['vi.waitFor(() => expect(count).toBe(1), 5_000)', 1],
    ['vi.waitUntil(() => isReady, { interval: 50 })', 1],
    ['expect.poll(() => count, { timeout: 5_000 }).toBe(1)', 1],
    ['expect\n  .poll(() => count, { timeout: 10_000, interval: 20 })\n  .toBe(1)', 1],
    ['vi.waitFor(() => expect(count).toBe(1), 15_000)', 0],
    ['vi.waitFor(isBack, { timeout: 20_000, interval: 50 })', 0],
    ['expect.poll(() => count).toBe(1)', 0],
    ['expect.poll(() => count, { interval: 5 }).toBe(1)', 0],
  ])('%s', (text, count) => expect(shortWaits('a.ts', text)).toHaveLength(count))
})
