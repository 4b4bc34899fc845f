import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMPARISONS } from '../../scripts/reference/comparison.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** Address of a heading on a page. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')

describe.each(COMPARISONS)('$capability', ({ page, tests, others }) => {
  test('has a page with that section', () => {
    const [file = '', anchor] = page.split('#')
    const text = read(join('docs/gateway', file))
    const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
    if (anchor !== undefined) expect(anchors).toContain(anchor)
  })

  test('has tests, which the reader finds', () => {
    expect(tests.length).toBeGreaterThan(0)
    expect(tests.filter((name) => !existsSync(join(ROOT, 'test', `${name}.test.ts`)))).toEqual([])
    // A file that is skipped as a whole proves nothing.
    for (const name of tests) expect(read(`test/${name}.test.ts`)).toMatch(/^\s*(test|describe)(\.each.*)?\(/m)
  })

  test('says something of each other gateway', () => {
    expect(others.filter((other) => other.trim() === '')).toEqual([])
  })
})

test('each capability has one row', () => {
  expect(COMPARISONS.length).toBeGreaterThan(20)
  expect(new Set(COMPARISONS.map(({ capability }) => capability)).size).toBe(COMPARISONS.length)
})

test.each(['docs/gateway.md', 'gateway/README.md'])('%s leads to the comparison', (file) => {
  expect(read(file)).toContain('gateway/comparison.md')
})
