import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ts } from '@ts-morph/common'
import { expect, test } from 'vitest'
import { SOURCES } from './support/sources.ts'

const ROOT = join(import.meta.dirname, '../..')

/**
 * Names that several files export for one idea. Rows of the generated `tables.ts` have the names of
 * their nouns, and do not count.
 */
const SAME_IDEA: Readonly<Record<string, string>> = {
  ACTIONS: 'recommended actions of trust: the list, its copy in the published client, and their labels on pages',
  Action: 'the same: `clients/` imports nothing of the server',
  Context: 'what resolvers of a subgraph get',
  Decision: 'a decision of trust: computed, stored, and as the published client parses it',
  FetchHandler: 'handler of the Fetch API; two published packages, each for its callers',
  Interaction: 'interactions of trust, and their copy in the published client',
  JSON_TYPE: '`application/json`, with the parameters of each facade',
  MAX_ANSWER_BYTES: 'bound of an MCP answer, per server',
  Override: 'an override of trust: stored, and as the pipeline applies it',
  Policy: 'policy of trust, and what the published client reads of it',
  STATES: 'states of a decision, and their labels on pages',
}

/** Different ideas that keep their name, because callers import one of them from a package. */
const PUBLISHED: Readonly<Record<string, string>> = {
  Source: 'a source that an agent wants to cite, published by `clients/gate`; a source of evidence in trust',
  TIERS: 'tiers of evidence, published by `clients/evidence`; what is at stake in trust',
  Tier: 'the same',
}

const isExported = (statement: ts.Statement): boolean =>
  ts.canHaveModifiers(statement) && (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

/** Types, classes and SCREAMING_CASE constants that a file exports. */
function exportedNames(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true)
  const names = source.statements.filter(isExported).flatMap((statement) => {
    if (ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement)) return [statement.name.text]
    if (ts.isClassDeclaration(statement)) return statement.name ? [statement.name.text] : []
    if (!ts.isVariableStatement(statement)) return []
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) && /^[A-Z][A-Z0-9_]+$/.test(name.text) ? [name.text] : [],
    )
  })
  return [...new Set(names)]
}

const filesByName = new Map<string, string[]>()
for (const file of SOURCES.filter((name) => !/^(test|bench|examples|scripts)\/|\/tables\.ts$/.test(name))) {
  for (const name of exportedNames(file)) filesByName.set(name, [...(filesByName.get(name) ?? []), file])
}
const shared = [...filesByName].filter(([, files]) => files.length > 1)

test('no two exported types or constants share a name unless they are the same idea', () => {
  expect(filesByName.size).toBeGreaterThan(1_000)
  expect(shared.filter(([name]) => !(name in SAME_IDEA) && !(name in PUBLISHED))).toEqual([])
})

test.each([...Object.keys(SAME_IDEA), ...Object.keys(PUBLISHED)])('%s is still exported by several files', (name) => {
  expect(shared.some(([each]) => each === name)).toBe(true)
})
