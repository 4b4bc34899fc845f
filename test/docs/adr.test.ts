import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const DOCS = join(import.meta.dirname, '../../docs')
const FOLDER = join(DOCS, 'adr')
const MAX_LINES = 40

const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8')
const index = read('README.md')
const records = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.md') && file !== 'README.md')
  .sort()
  .map((file) => ({ file, number: file.slice(0, 4), text: read(file) }))

const STATUS = /^Status: (Accepted|Superseded by \[ADR (\d{4})\]\(\2-[a-z0-9-]+\.md\))$/m
const statusOf = (text: string) => {
  const [, status = '', successor] = STATUS.exec(text) ?? []
  return successor ? `Superseded by [${successor}]` : status
}

test('numbers of decision records are contiguous, from 0001', () => {
  expect(records.map(({ number }) => number)).toEqual(records.map((_, index) => String(index + 1).padStart(4, '0')))
})

test.each(records)(
  '$file has at most 40 lines, a title, a status, context, decision and consequences',
  ({ file, number, text }) => {
    const lines = text.trimEnd().split('\n')
    expect(file).toMatch(/^\d{4}-[a-z0-9-]+\.md$/)
    expect(lines.length).toBeLessThanOrEqual(MAX_LINES)
    expect(lines[0]).toMatch(new RegExp(`^# ${Number(number)}\\. \\S`))
    expect(text).toMatch(STATUS)
    expect(lines.filter((line) => line.startsWith('## '))).toEqual(['## Context', '## Decision', '## Consequences'])
  },
)

test('the index lists every decision record once, with its title and status', () => {
  const rows = [...index.matchAll(/^\| \[(\d{4})\]\(([^)]+)\) \| (.+?) \| (.+?) \| .+ \|$/gm)].map(([, ...row]) => row)
  const titleOf = (text: string) => /^# \d+\. (.+)$/m.exec(text)?.[1]
  expect(rows.toSorted()).toEqual(records.map(({ number, file, text }) => [number, file, titleOf(text), statusOf(text)]))
})

test('each of the 111 former numbers leads to a decision record', () => {
  const [, table = ''] = index.split('## Former numbers')
  const rows = [...table.matchAll(/^\| (\d+) \| (\[.+) \|$/gm)].map(([, former]) => Number(former))
  expect(rows).toEqual(Array.from({ length: 111 }, (_, index) => index + 1))
})

/** The anchor that GitHub makes of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const ROOT = join(DOCS, '..')

test('links of the pages of docs/, of those beside it and of the gateway lead to files and headings that there are', () => {
  const pages = ['.', 'gateway', 'docs'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: folder === 'docs', encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => join(folder, file)),
  )
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
      .filter(([, path, anchor]) => {
        const target = path ? join(ROOT, dirname(page), path) : join(ROOT, page)
        if (!existsSync(target)) return true
        if (!anchor) return false
        return !readFileSync(target, 'utf8')
          .split('\n')
          .some((line) => /^#+ /.test(line) && anchorOf(line.replace(/^#+ /, '')) === anchor)
      })
      .map(([link]) => `${page}: ${link}`),
  )
  expect(broken).toEqual([])
})
