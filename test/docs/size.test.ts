import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { referencePages } from '../../scripts/reference/pages.ts'

const ROOT = join(import.meta.dirname, '../..')

/**
 * Most kilobytes (1,000 bytes) of prose in docs/ that a person wrote; it was 315 once. Say a thing
 * once and link to it; reasons belong into a decision record. Lower this when pages get shorter.
 */
const MAX_KILOBYTES = 147
/** Most kilobytes of one page. */
const MAX_PAGE_KILOBYTES = 16

const isGenerated = (text: string): boolean => /^<!-- Written by npm run /m.test(text)
const isCode = /^```[\s\S]*?^```$|^ {4}.*$/gm

const generated = await referencePages()
const pages = globSync('docs/**/*.md', { cwd: ROOT })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !file.startsWith('docs/adr/') && !generated.has(file))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))
  .filter(({ text }) => !isGenerated(text))
  .map(({ file, text }) => ({ file, kilobytes: Buffer.byteLength(text.replaceAll(isCode, '')) / 1000 }))

test(`written pages have at most ${MAX_KILOBYTES} kB of prose together, without code, generated pages and decision records`, () => {
  expect(pages.length).toBeGreaterThan(40)
  const sum = pages.reduce((total, { kilobytes }) => total + kilobytes, 0)
  expect(sum).toBeLessThanOrEqual(MAX_KILOBYTES)
})

test(`no page has more than ${MAX_PAGE_KILOBYTES} kB of prose`, () => {
  expect(pages.filter(({ kilobytes }) => kilobytes > MAX_PAGE_KILOBYTES)).toEqual([])
})
