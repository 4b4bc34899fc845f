import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ts } from '@ts-morph/common'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const MAX_LINES = 100

/**
 * Functions that are still longer: the list only shrinks. Factories of repositories are exempt:
 * they are tables of statements.
 */
const REMAINING: readonly string[] = ['subgraphs/trust/collectors/sources.ts: trustSources']

type LongFunction = { readonly name: string; readonly lines: number }

function longFunctions(file: string): LongFunction[] {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true)
  const found: LongFunction[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line
      const lines = lineOf(node.end) - lineOf(node.getStart(source)) + 1
      if (lines > MAX_LINES) found.push({ name: `${file}: ${nameOf(node)}`, lines })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name) return node.name.getText()
  const { parent } = node
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : '(anonymous)'
}

test('a function has at most 100 lines; the list of those that are longer only shrinks', () => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter((file) => !/^(test|bench|examples)\//.test(file) && !/repository\.ts$/.test(file))
  expect(files.length).toBeGreaterThan(500)
  const long = files.flatMap(longFunctions).map(({ name }) => name)
  expect([...new Set(long)].toSorted()).toEqual([...REMAINING].toSorted())
})
