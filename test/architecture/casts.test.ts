import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ts } from '@ts-morph/common'
import { describe, expect, test } from 'vitest'
import { SOURCES } from './support/sources.ts'

const ROOT = join(import.meta.dirname, '../..')

const isConst = ({ type }: ts.AsExpression): boolean => ts.isTypeReferenceNode(type) && type.getText() === 'const'

/** `list[at] as Item` says that `at` is within bounds, which the compiler cannot know. */
const isIndexed = ({ expression, type }: ts.AsExpression): boolean =>
  ts.isElementAccessExpression(expression) &&
  !ts.isStringLiteralLike(expression.argumentExpression) &&
  type.kind !== ts.SyntaxKind.AnyKeyword

const isComment = (line = ''): boolean => /(^|\s)\/\/ |\*\/$/.test(line.trimEnd())

/**
 * Lines, from 1 on, with a cast (`x as Type`) that has no comment: on a line that it begins or ends
 * on, or above the first of the lines with casts that it is among.
 */
function unexplainedCasts(text: string): readonly number[] {
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true)
  const lines = text.split('\n')
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line
  const casts: ts.AsExpression[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isAsExpression(node) && !isConst(node) && !isIndexed(node)) casts.push(node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  const withCast = new Set(casts.flatMap((cast) => [lineAt(cast.getStart()), lineAt(cast.type.getStart())]))
  const isExplained = (line: number): boolean => {
    let first = line
    while (!isComment(lines[first]) && withCast.has(first - 1)) first -= 1
    return isComment(lines[first]) || isComment(lines[first - 1])
  }
  return [
    ...new Set(
      casts
        .map((cast) => [lineAt(cast.type.getStart()), lineAt(cast.getStart())] as const)
        .filter((ends) => !ends.some(isExplained))
        .map(([line]) => line + 1),
    ),
  ]
}

describe('every cast has its reason beside it', () => {
  test('what is a cast, and what is beside it', () => {
    expect(unexplainedCasts('const a = x as A\n')).toEqual([1])
    expect(unexplainedCasts('// Why.\nconst a = x as A\nconst b = y as B\nfoo()\nconst c = z as C')).toEqual([5])
    expect(unexplainedCasts('const a = x as A // Why.\nconst b = [1] as const\nconst c = list[b] as C')).toEqual([])
    expect(unexplainedCasts("const url = 'http://a' as Url")).toEqual([1])
    expect(unexplainedCasts('const c = (row as any)[0] as C\nconst d = row["a"] as D')).toEqual([1, 2])
  })

  test('in all sources', () => {
    const sources = SOURCES.filter((file) => !/^(test|bench|examples|scripts)\//.test(file))
    const found = sources.flatMap((file) =>
      unexplainedCasts(readFileSync(join(ROOT, file), 'utf8')).map((line) => `${file}:${line}`),
    )
    expect(found).toEqual([])
  })
})
