import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ts } from '@ts-morph/common'
import { expect, test } from 'vitest'
import { SOURCES } from './support/sources.ts'

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

/** Words that make the title of a test a riddle: it names the caller, the user or the client. */
const BANNED_IN_TITLES = /\b(whoever|nobody|somebody|everybody|anybody|asked|asks|tells|hears)\b/i

/** The leftmost name of an expression: `test` of `test.each(CASES)`. */
function rootOf(node: ts.Expression): string {
  let root = node
  while (ts.isCallExpression(root) || ts.isPropertyAccessExpression(root)) root = root.expression
  return ts.isIdentifier(root) ? root.text : ''
}

/** Titles of tests, and names that a source declares: of variables, functions, types and members. */
function wordsOf(file: string): { readonly names: readonly string[]; readonly titles: readonly string[] } {
  const names: string[] = []
  const titles: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      const parent = node.parent as (ts.Node & { readonly name?: ts.Node }) | undefined
      const isName = parent?.name === node && !ts.isPropertyAccessExpression(parent) && !ts.isImportSpecifier(parent)
      if (isName) names.push(node.text)
    } else if (ts.isCallExpression(node) && ['test', 'describe'].includes(rootOf(node.expression))) {
      const [title] = node.arguments
      if (title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) titles.push(title.getText())
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true))
  return { names, titles }
}

const words = SOURCES.map((file) => ({ file, ...wordsOf(file) }))

/** Names with a banned word that stay: of a specification, of the wire, or of stored data. */
const EXCUSED: readonly { readonly files: RegExp; readonly names: readonly string[]; readonly why: string }[] = [
  {
    files: /^gateway\/authorization\//,
    names: ['audience', 'JWT_AUDIENCE'],
    why: 'the `aud` claim of a token (RFC 7519 §4.1.3), and the variable that operators set',
  },
  { files: /^gateway\/observability\/history\.ts$/, names: ['outcome'], why: 'label of metrics that dashboards read' },
  { files: /^subgraphs\/store\/(tables|idempotency)\.ts$/, names: ['outcome'], why: 'column of store.idempotency_key' },
  {
    files: /^subgraphs\/trust\/pipeline\/weights\.ts$/,
    names: ['lureWordsAtMost'],
    why: 'key of the stored policies, whose digest names them',
  },
  {
    files: /^clients\//,
    names: ['Outcome', 'outcome', 'outcomes', 'outcomeOf', 'outcomeFor', 'OutcomeCache', 'outcomeCache'],
    why: 'the published package exports the type `Outcome` and hands its value to callers',
  },
  {
    files: /^clients\/guard\//,
    names: ['Passage', 'passage', 'passageFor'],
    why: 'the published guards export the type `Passage` and return it in `Ruling`',
  },
  {
    files: /^(bench|test\/faults|test\/rest-facade)\//,
    names: ['ROUNDS', 'rounds', 'WARM_UP_ROUNDS'],
    why: 'repetitions of a measurement or of a race, and the options of the benches',
  },
  { files: /^test\/gateway\/differential\/cases\//, names: ['kept', 'seats'], why: 'fields of the graphs of the cases' },
  { files: /^test\/gateway\/authorization\//, names: ['JWT_AUDIENCE'], why: 'the variable that operators set' },
  { files: /^test\/web\/authorize\.test\.ts$/, names: ['asked'], why: 'alias of an operation of the page' },
  { files: /^test\/clients\/guard\.test\.ts$/, names: ['outcome'], why: 'a property of the published package' },
]

/** Every declared name with a banned word, by file. */
const found: readonly (readonly [file: string, name: string])[] = words.flatMap(({ file, names }) =>
  [...new Set(names)].filter((name) => partsOf(name).some((part) => BANNED.has(part))).map((name) => [file, name] as const),
)

test('identifiers use the words of the glossary', () => {
  const isExcused = (file: string, name: string) => EXCUSED.some(({ files, names }) => files.test(file) && names.includes(name))
  expect(found.filter(([file, name]) => !isExcused(file, name))).toEqual([])
})

test.each(EXCUSED.flatMap(({ names, ...rest }) => names.map((name) => ({ name, ...rest }))))(
  '$name is still declared in $files: $why',
  ({ name, files }) => {
    expect(found.some(([file, each]) => each === name && files.test(file))).toBe(true)
  },
)

test('no file is named with a banned word', () => {
  expect(SOURCES.filter((file) => file.split(/[/.]/).some((name) => partsOf(name).some((part) => BANNED.has(part))))).toEqual([])
})

test('titles of tests use the words of the glossary', () => {
  const titles = words.flatMap(({ file, titles }) => titles.map((title) => ({ file, title })))
  expect(titles.length).toBeGreaterThan(3_000)
  expect(titles.filter(({ title }) => BANNED_IN_TITLES.test(title))).toEqual([])
})
