import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ts } from '@ts-morph/common'
import { describe, expect, test } from 'vitest'
import { SOURCES } from './support/sources.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A part of a name that says what the number counts, or that it is a bound or has no unit. */
const UNITS = new Set(
  (
    'MS SECONDS MINUTES HOURS DAYS MICROTASKS BYTES BITS CHARACTERS WORDS PIXELS PER PERCENT RATIO SHARE WEIGHT SCORE ' +
    'MAX MIN LIMIT COUNT PLACES ITERATIONS USES CONNECTIONS ROWS ENTRIES RECORDS JOBS PRODUCTS USERS SIZE ' +
    'VERSION CODE LOCK UID PORT OFFSET MASK KEY STEP'
  ).split(' '),
)

/** Numbers of a ranking: points and factors that only mean something beside each other. */
const RANKING = /^subgraphs\/directory\/(search|word-index|item\/(?:quality|related))/

/** Names without a unit that are right, by file. */
const EXCUSED: readonly { readonly constant: string; readonly why: string }[] = [
  { constant: 'subgraphs/toolkit/quota.ts: UNLIMITED', why: 'stands for "no limit", in any unit' },
]

const isNumber = (node: ts.Expression): boolean =>
  (ts.isNumericLiteral(node) && !/^0x/i.test(node.getText())) ||
  (ts.isPrefixUnaryExpression(node) && isNumber(node.operand)) ||
  (ts.isParenthesizedExpression(node) && isNumber(node.expression)) ||
  (ts.isBinaryExpression(node) && [node.left, node.right].some(isNumber) && [node.left, node.right].every(isNumberOrConstant))
const isNumberOrConstant = (node: ts.Expression): boolean =>
  isNumber(node) || (ts.isIdentifier(node) && /^[A-Z][A-Z0-9_]*$/.test(node.text))

/** SCREAMING_CASE constants of a module that are a decimal number, or computed from numbers. */
function numericConstants(file: string, text: string): readonly string[] {
  return ts
    .createSourceFile(file, text, ts.ScriptTarget.Latest, true)
    .statements.filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .flatMap(({ name, initializer }) =>
      ts.isIdentifier(name) && /^[A-Z][A-Z0-9_]*$/.test(name.text) && initializer && isNumber(initializer) ? [name.text] : [],
    )
}

const lacksUnit = (name: string): boolean => !name.split('_').some((part) => UNITS.has(part))

const found = SOURCES.filter((file) => !/^(test|bench|examples|scripts)\//.test(file) && !RANKING.test(file)).flatMap((file) =>
  numericConstants(file, readFileSync(join(ROOT, file), 'utf8')).map((name) => ({ constant: `${file}: ${name}`, name })),
)

describe('a constant that is a number says its unit, or that it is a bound', () => {
  test('what counts as one', () => {
    const text = 'const A = 5\nconst B_MS = 60 * A\nconst TAG = 0x30\nconst text = 1\nconst NAME = "x"\nexport const C = -(2 * 3)'
    expect(numericConstants('a.ts', text)).toEqual(['A', 'B_MS', 'C'])
    expect(['A', 'B_MS', 'MAX_C', 'D_MSX'].filter(lacksUnit)).toEqual(['A', 'D_MSX'])
  })

  test('in every source', () => {
    expect(found.length).toBeGreaterThan(300)
    const excused = EXCUSED.map(({ constant }) => constant)
    expect(found.filter(({ constant, name }) => lacksUnit(name) && !excused.includes(constant))).toEqual([])
  })

  test.each(EXCUSED)('$constant is still there: $why', ({ constant }) => {
    expect(found.map((each) => each.constant)).toContain(constant)
  })
})
