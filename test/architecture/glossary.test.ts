import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ts } from '@ts-morph/common'
import { expect, test } from 'vitest'
import remaining from './glossary-remaining.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '../..')

/** Words of docs/glossary.md that no identifier contains, as parts of camelCase or SNAKE_CASE. */
const BANNED = new Set(
  (
    'asked asking passage passages machinery door doors outcome outcomes admission admit admitted purse purses ear hear ' +
    'laggard laggards patience rounds kept told tell telling longest most way ways slip slips seat seats ' +
    'audience audiences settled whoever insider insiders silent worth'
  ).split(' '),
)

const partsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _$-]+/)

/** Names that a source declares: variables, parameters, functions, types and their members. */
function declaredNames(file: string): string[] {
  const names: string[] = []
  const visit = (node: ts.Node): void => {
    const parent = node.parent as (ts.Node & { readonly name?: ts.Node }) | undefined
    const isName = ts.isIdentifier(node) && parent?.name === node
    if (isName && !ts.isPropertyAccessExpression(parent) && !ts.isImportSpecifier(parent)) names.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true))
  return names
}

const sources = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((file) => !/^(test|bench|examples)\//.test(file))

/** `file: name` of every declared name with a banned word. */
function violations(): string[] {
  const found = sources.flatMap((file) =>
    declaredNames(file)
      .filter((name) => partsOf(name).some((part) => BANNED.has(part)))
      .map((name) => `${file}: ${name}`),
  )
  return [...new Set(found)].sort()
}

test('identifiers use the words of the glossary; the list of those that do not yet only shrinks', () => {
  expect(violations()).toEqual(remaining)
})

test('no file is named with a banned word', () => {
  expect(sources.filter((file) => file.split(/[/.]/).some((name) => partsOf(name).some((part) => BANNED.has(part))))).toEqual([])
})
