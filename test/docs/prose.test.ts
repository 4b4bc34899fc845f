import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const MAX_WORDS = 30

const pages = globSync(['docs/*.md', 'docs/{start,guides,gateway,operations,reference}/*.md'], { cwd: ROOT })
  .map((file) => file.replaceAll('\\', '/'))
  .sort()

/** Sentences of a page, without code, tables and headings. */
function sentencesOf(source: string): readonly string[] {
  const prose = source
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .replaceAll(/^(?:\||#| {4}).*$/gm, '')
    // An address in code or a link has points that end no sentence.
    .replaceAll(/`[^`\n]*`/g, 'code')
    .replaceAll(/\]\([^)]*\)/g, ']')
  return prose.split(/(?<=[.:?!])\s+|\n\n|\n(?=[-*\d])/).map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim())
}

const longIn = (page: string): readonly string[] =>
  sentencesOf(readFileSync(join(ROOT, page), 'utf8')).filter((sentence) => sentence.split(' ').length > MAX_WORDS)

// Decision records, data models and changelogs are not pages to learn from.
test.each(pages)('%s has sentences of at most 30 words', (page) => {
  expect(longIn(page)).toEqual([])
})
