import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { circles } from './support/import-graph.ts'

const ROOT = join(import.meta.dirname, '..')
const sources = globSync('**/*.ts', { cwd: ROOT, exclude: ['**/node_modules', '.generated', '.data'] })

/** Files and what they import: paths from the root for our own, bare names for packages. Types count as well. */
const imports = sources.flatMap((from) =>
  [...readFileSync(join(ROOT, from), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name = '']) => ({
    from,
    to: name.startsWith('.') ? relative(ROOT, join(ROOT, dirname(from), name)) : name,
  })),
)

/** Where circles are still to be cut. */
const CIRCLES_LEFT = /^(subgraphs\/store|gateway|rest-facade\/store\/wire)\//

/** Who may not import whom. `from` and `to` are matched from the start of the path; `but` are the exceptions. */
const rules: readonly { why: string; from: RegExp; to: RegExp; but?: RegExp }[] = [
  {
    why: 'the platform knows neither gateway nor subgraphs',
    from: /^platform\//,
    to: /^(subgraphs|gateway|rest-facade|mcp|web|cli|composition|clients|database|config\.ts|main\.ts)/,
  },
  {
    why: 'facades import the client of the gateway, and no subgraph',
    from: /^(rest-facade|web|mcp)\//,
    to: /^(subgraphs|gateway|database|cli|composition)\//,
    but: /^gateway\/(client|observability\/history)\.ts$/,
  },
  {
    why: 'the gateway imports no subgraph',
    from: /^gateway\//,
    to: /^(subgraphs|rest-facade|mcp|web|cli|composition|database|main\.ts)/,
    // The page of a stand-alone gateway.
    but: /^web\/explorer\/serve\.ts$/,
  },
  {
    why: 'a subgraph knows neither its facades nor the gateway',
    from: /^subgraphs\//,
    to: /^(gateway|rest-facade|mcp|web|cli|composition|config\.ts|main\.ts)/,
  },
  { why: 'the toolkit knows no noun', from: /^subgraphs\/toolkit\//, to: /^subgraphs\/(?!toolkit\/)/ },
  { why: 'the composition knows no command', from: /^composition\//, to: /^(cli|main\.ts)/ },
  {
    why: 'only repositories, the import and the roots of a subgraph reach the database',
    from: /^subgraphs\/(?!toolkit\/|directory\/import\/)/,
    to: /^(pg|kysely)$|platform\/database\/database\.ts$/,
    but: /^$/,
  },
  {
    why: 'only the protocol of apps knows the library that speaks it',
    from: /^(?!subgraphs\/store\/oauth\/)/,
    to: /^oidc-provider$/,
  },
  { why: 'only loaders know DataLoader', from: /./, to: /^dataloader$/ },
  {
    why: 'clients speak HTTP only, and import nothing of ours',
    from: /^clients\//,
    to: /^((platform|subgraphs|gateway|rest-facade|web|mcp|database|composition|cli|schema|bench|test)\/|(main|config|codegen)\.ts|#generated)/,
  },
  { why: 'tests and benches are not part of the product', from: /^(?!test\/|bench\/|vitest)/, to: /^(test|bench)\// },
]
/** Files that a rule allows by their role rather than by what they import. */
const ROLES: Readonly<Record<string, RegExp>> = {
  'only repositories, the import and the roots of a subgraph reach the database':
    /(repository|subgraph|parts|revision-feed|tables|accounts|store\/write|store\/context|store\/tenant|store\/store\/set-up|(store|social)\/\w+\/operator|tables\/\w+|webhook-delivery\/jobs)\.ts$/,
  'only loaders know DataLoader': /(^|\/)loaders?\.ts$/,
}

test.each(rules)('$why', ({ why, from, to, but }) => {
  const offenders = imports.filter(
    (edge) => from.test(edge.from) && to.test(edge.to) && !but?.test(edge.to) && !ROLES[why]?.test(edge.from),
  )
  expect(offenders.map((edge) => `${edge.from} imports ${edge.to}`)).toEqual([])
})

test('no subgraph imports another', () => {
  const room = (path: string) => /^subgraphs\/([^/]+)\//.exec(path)?.[1]
  const offenders = imports.filter(({ from, to }) => {
    const [one, other] = [room(from), room(to)]
    return one !== undefined && other !== undefined && other !== 'toolkit' && one !== other
  })
  expect(offenders).toEqual([])
})

test('only composition roots and configuration read process.env', () => {
  // The embedded server hands the environment on to a child, without PostgreSQL's own variables.
  const allowed =
    /^(main|config|codegen|vitest\.config|platform\/database\/embedded\/embedded-server)\.ts$|(^|\/)(main|config|serve)\.ts$|^(cli|bench|test)\//
  const offenders = sources.filter(
    (file) => !allowed.test(file) && /\bprocess\.env\b/.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  expect(offenders).toEqual([])
})

test('no circle of imports, of values or of types', () => {
  expect(circles(imports).filter((circle) => !circle.some((file) => CIRCLES_LEFT.test(file)))).toEqual([])
})

test('the gateway has three files at its root', () => {
  expect(sources.filter((file) => /^gateway\/[^/]+$/.test(file)).sort()).toEqual([
    'gateway/client.ts',
    'gateway/gateway.ts',
    'gateway/main.ts',
  ])
})

test('no barrels and no drawers without a name', () => {
  const offenders = sources.filter((file) =>
    /(^|\/)(index|types|utils|helpers|common)\.ts$|(^|\/)(utils|helpers|common)\//.test(file),
  )
  expect(offenders).toEqual([])
})

test('one copy of federation-internals is installed', () => {
  // Two copies break nearly every query plan: their classes do not know each other.
  const copies = globSync('node_modules/**/@apollo/federation-internals/package.json', { cwd: ROOT })
  expect(copies).toEqual(['node_modules/@apollo/federation-internals/package.json'])
})

test('a file is of one idea: no source is longer than 400 lines', () => {
  const long = sources.filter(
    (file) =>
      !file.startsWith('test/') && !file.startsWith('bench/') && readFileSync(join(ROOT, file), 'utf8').split('\n').length > 400,
  )
  expect(long).toEqual([])
})

test('values in templates of pages stand in text or between quotes, where they are escaped', () => {
  const offenders = sources
    .filter((file) => file.startsWith('web/'))
    .flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/<[^>`]*\s[a-z-]+=\$\{/g)].map(([text]) => `${file}: ${text}`),
    )
  expect(offenders).toEqual([])
})
