import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ts } from '@ts-morph/common'
import { expect, test } from 'vitest'
import { SOURCES } from './support/sources.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Words that make a title a riddle: it names the caller, the user or the client instead. */
const BANNED = /\b(whoever|nobody|somebody|everybody|anybody|asked|asks|tells|hears)\b/i

/** The leftmost name of a call: `test` of `test.each(CASES)`. */
function calleeOf(node: ts.Expression): string {
  let root = node
  while (ts.isCallExpression(root) || ts.isPropertyAccessExpression(root)) root = root.expression
  return ts.isIdentifier(root) ? root.text : ''
}

/** Titles of `test` and `describe` in a file, as they are written. */
function titlesIn(file: string): string[] {
  const titles: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ['test', 'describe'].includes(calleeOf(node.expression))) {
      const [title] = node.arguments
      if (title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) titles.push(title.getText())
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true))
  return titles
}

test('titles of tests use the words of the glossary', () => {
  const titles = SOURCES.filter((file) => file.endsWith('.test.ts')).flatMap((file) =>
    titlesIn(file).map((title) => `${file}: ${title}`),
  )
  expect(titles.length).toBeGreaterThan(3_000)
  expect(titles.filter((title) => BANNED.test(title.slice(title.indexOf(': '))))).toEqual([])
})
