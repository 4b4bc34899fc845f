import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { circles } from './support/import-graph.ts'

const ROOT = join(import.meta.dirname, '..')
const sources = globSync('**/*.ts', { cwd: ROOT, exclude: ['**/node_modules', '.generated', '.data'] })

/**
 * Files and what they import: paths from the root for our own, bare names for packages. Types count
 * as well.
 */
const imports = sources.flatMap((from) =>
  [...readFileSync(join(ROOT, from), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name = '']) => ({
    from,
    to: name.startsWith('.') ? relative(ROOT, join(ROOT, dirname(from), name)) : name,
  })),
)

/**
 * Who may not import whom. `from` and `to` are matched from the start of the path; `but` are the
 * exceptions.
 */
const rules: readonly { why: string; from: RegExp; to: RegExp; but?: RegExp }[] = [
  {
    why: 'the platform knows neither gateway nor subgraphs',
    from: /^platform\//,
    to: /^(subgraphs|gateway|rest-facade|mcp|web|cli|composition|clients|prisma|config\.ts|main\.ts)/,
  },
  {
    why: 'facades import the client of the gateway, and no subgraph',
    from: /^(rest-facade|web|mcp)\//,
    to: /^(subgraphs|gateway|prisma|cli|composition)\//,
    but: /^gateway\/(client|observability\/history)\.ts$/,
  },
  {
    why: 'the gateway imports no subgraph',
    from: /^gateway\//,
    to: /^(subgraphs|rest-facade|mcp|web|cli|composition|prisma|config\.ts|main\.ts)/,
  },
  {
    why: 'a subgraph knows neither its facades nor the gateway',
    from: /^subgraphs\//,
    to: /^(gateway|rest-facade|mcp|web|cli|composition|config\.ts|main\.ts)/,
    // Pure functions of a text, which clients cannot import from elsewhere.
    but: /^clients\/evidence\/(folded-text|visible-text)\.ts$/,
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
    to: /^((platform|subgraphs|gateway|rest-facade|web|mcp|prisma|composition|cli|schema|bench|test)\/|(main|config|codegen)\.ts|#generated)/,
  },
  { why: 'tests and benches are not part of the product', from: /^(?!test\/|bench\/|vitest)/, to: /^(test|bench)\// },
]
/** Files that a rule allows by their role rather than by what they import. */
const ROLES: Readonly<Record<string, RegExp>> = {
  'only repositories, the import and the roots of a subgraph reach the database':
    /(repository|repositories|subgraph|parts|revision-feed|tables|accounts|store\/(write|idempotency|savepoint)|store\/context|store\/tenant|store\/store\/set-up|store\/operator\/\w+|social\/\w+\/operator|store\/(job-queue|pooled-jobs)|directory\/(probe\/jobs|source\/(run|removal|neighbours)|observation\/observe|job-thread\/[\w-]+))\.ts$/,
  'only loaders know DataLoader': /(^|\/)loaders?\.ts$/,
}

test.each(rules)('$why', ({ why, from, to, but }) => {
  const offenders = imports.filter(
    (edge) => from.test(edge.from) && to.test(edge.to) && !but?.test(edge.to) && !ROLES[why]?.test(edge.from),
  )
  expect(offenders.map((edge) => `${edge.from} imports ${edge.to}`)).toEqual([])
})

test('the gateway, which others install, stands on platform/ alone', () => {
  const packages = new Set(readdirSync(join(ROOT, 'node_modules')))
  const offenders = imports.filter(
    ({ from, to }) =>
      from.startsWith('gateway/') && !/^(gateway|platform)\/|^node:/.test(to) && !packages.has(to.split('/', 1)[0] ?? ''),
  )
  expect(offenders).toEqual([])
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
  // The embedded server hands the environment on to a child, without PostgreSQL's own variables; the
  // samples are programs for readers.
  const allowed =
    /^(main|config|codegen|vitest\.config|platform\/database\/embedded\/embedded-server|web\/reference\/samples)\.ts$|(^|\/)(main|config|serve)\.ts$|^(cli|bench|examples|scripts|test)\//
  const offenders = sources.filter(
    (file) => !allowed.test(file) && /\bprocess\.env\b/.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  expect(offenders).toEqual([])
})

test('no circle of imports, of values or of types', () => {
  expect(circles(imports)).toEqual([])
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
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'node_modules/.package-lock.json'), 'utf8'))
  const copies = Object.keys(packages).filter((path) => path.endsWith('node_modules/@apollo/federation-internals'))
  expect(copies).toEqual(['node_modules/@apollo/federation-internals'])
})

test('a file is of one idea: no source is longer than 400 lines', () => {
  const long = sources.filter(
    (file) =>
      !file.startsWith('test/') &&
      !file.startsWith('bench/') &&
      !readFileSync(join(ROOT, file), 'utf8').startsWith('// Written by npm run db:generate') &&
      readFileSync(join(ROOT, file), 'utf8').split('\n').length > 400,
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

/**
 * Nouns without a test file of their own name, by the file that proves what they do. A noun that
 * gets its own file leaves this table.
 */
const PROVEN_ELSEWHERE: Readonly<Record<string, { readonly by: string; readonly why: string }>> = {
  ...elsewhere('test/subgraphs/directory/lists.test.ts', 'one list, three kinds and their counts are read together', [
    'directory/category',
    'directory/mcp-server',
    'directory/plugin',
    'directory/skill',
    'directory/stats',
  ]),
  ...elsewhere('test/gateway/signed-link/subgraph-endpoint.test.ts', 'subscribers follow it over HTTP', ['directory/change']),
  ...elsewhere('test/subgraphs/store/store-import/store-import.test.ts', 'files are imported and exported', [
    'store/customer-record',
    'store/order-record',
    'store/product-record',
    'store/store-export',
  ]),
  ...elsewhere('test/cli/app.test.ts', 'operators act through commands', ['store/operator']),
  ...elsewhere('test/subgraphs/social/post.test.ts', 'a comment belongs to a post', ['social/comment']),
  ...elsewhere('test/gateway/social-directory.test.ts', 'fields of another subgraph need the gateway', ['social/directory-item']),
  ...elsewhere('test/gateway/trust-directory.test.ts', 'fields of another subgraph need the gateway', ['trust/directory-item']),
  ...elsewhere('test/subgraphs/trust/decision.test.ts', 'only a decision shows what an override does', ['trust/override']),
  ...elsewhere('test/subgraphs/trust/judgements.test.ts', 'judgements are what an assessment stores', ['trust/assessment']),
  ...elsewhere('test/subgraphs/trust/trial.test.ts', 'a resolver of status alone', ['trust/source']),
  ...elsewhere('test/rest-facade/store/access.test.ts', 'every route with every scope', ['store/access']),
  ...elsewhere('test/subgraphs/store/app.test.ts', 'what an app may do is given and taken back with the app', [
    'store/app-authorization',
  ]),
  ...elsewhere('test/subgraphs/store/app-subscription.test.ts', 'an installation is what is subscribed', [
    'store/app-installation',
  ]),
  ...elsewhere('test/web/authorize.test.ts', 'its only client is the page of consent', ['store/authorization-request']),
  ...elsewhere('test/web/console.test.ts', 'its only client is the console', ['store/console-session']),
  ...elsewhere('test/subgraphs/store/customer-additional-field.test.ts', 'fields that a checkout asks for', [
    'store/checkout-custom-field',
  ]),
  ...elsewhere('test/subgraphs/store/custom-field.test.ts', 'an option and a value belong to a field', [
    'store/custom-field-select-option',
    'store/product-custom-field-value',
  ]),
  ...elsewhere('test/subgraphs/store/product-files.test.ts', 'both kinds of file of a product', [
    'store/digital-asset',
    'store/product-attachment',
  ]),
  ...elsewhere('test/subgraphs/store/order/stock.test.ts', 'stock moves with orders', ['store/inventory']),
  ...elsewhere('test/subgraphs/store/deleted-meanwhile.test.ts', 'its one rule: gone while a shipping method is given it', [
    'store/location',
  ]),
  ...elsewhere('test/subgraphs/store/order/order.test.ts', 'a refund and a ledger entry belong to an order', [
    'store/ledger',
    'store/order-refund',
  ]),
  ...elsewhere('test/rest-facade/store/order.test.ts', 'documents and history belong to an order', [
    'store/order-document',
    'store/order-history',
  ]),
  ...elsewhere('test/rest-facade/store/page.test.ts', 'three words that a page is ordered by', [
    'store/page-category',
    'store/page-label',
    'store/page-template',
  ]),
  ...elsewhere('test/subgraphs/social/post.test.ts', 'likes order the list of posts', ['social/post-like']),
  ...elsewhere('test/subgraphs/store/product.test.ts', 'options and variants belong to a product', [
    'store/product-option',
    'store/product-variant',
  ]),
  ...elsewhere('test/web/shop-order.test.ts', 'orders of the demo shop arrive on the home page', ['store/sample-order']),
  ...elsewhere('test/rest-facade/store/quota.test.ts', 'quotas are refused by status', ['store/quota']),
  ...elsewhere('test/rest-facade/store/store.test.ts', 'a store is read and sets up another over REST', ['store/store']),
  ...elsewhere('test/gateway/store-owner.test.ts', 'owners are users of the social subgraph', ['store/user']),
  ...elsewhere('test/rest-facade/store/webhook.test.ts', 'what receivers get over HTTP', ['store/webhook-subscription']),
}

function elsewhere(by: string, why: string, nouns: readonly string[]) {
  return Object.fromEntries(nouns.map((noun) => [noun, { by, why }]))
}

test('what proves a noun is found under its name: test/subgraphs/<subgraph>/<noun>', () => {
  const isProof = (noun: string): boolean =>
    globSync([`test/subgraphs/${noun}.test.ts`, `test/subgraphs/${noun}/*.test.ts`], { cwd: ROOT }).length > 0
  const nouns = globSync('subgraphs/{directory,social,store,trust}/*/', { cwd: ROOT }).map((folder) =>
    folder.replace(/^subgraphs\//, '').replace(/\/$/, ''),
  )
  expect(nouns.length).toBeGreaterThan(70)
  expect(nouns.filter((noun) => !isProof(noun)).toSorted()).toEqual(Object.keys(PROVEN_ELSEWHERE).toSorted())
  expect(Object.values(PROVEN_ELSEWHERE).filter(({ by }) => !existsSync(join(ROOT, by)))).toEqual([])
})

/** Suites about the gateway as a whole, at the root of test/gateway, each with what it is about. */
const WHOLE_GATEWAY: Readonly<Record<string, string>> = {
  abuse: 'hostile operations and requests, over every transport',
  cancellation: 'statements of PostgreSQL end with the client, over every transport',
  'contract/contract': 'the contract of /graphql, on Atrium and on Apollo Server',
  'departed-clients': 'mutations are finished whole after their client has gone, over every transport',
  engine: 'ENGINE=apollo, and that its libraries count depth and cost as the gateway does',
  'federation-audit': 'the themes of the public federation audit',
  'federation-conformance': 'cases of the public federation audit',
  package: 'the npm package, installed',
  'social-directory': 'fields that two subgraphs give together',
  'store-owner': 'fields that two subgraphs give together',
  'store-subscriptions': 'subscriptions of the store over WebSocket',
  'trust-directory': 'fields that two subgraphs give together',
}

test.each([
  { room: 'gateway', whole: Object.keys(WHOLE_GATEWAY), except: ['differential'] },
  { room: 'platform', whole: [], except: [] },
])('a test of $room/ has the path of the source that it is about: test/$room/…/<source>[-<aspect>].test.ts', (each) => {
  const inRoom = (pattern: string, root: string) =>
    globSync(pattern, { cwd: join(ROOT, root) }).map((file) => file.replace(/(\.test)?\.ts$/, ''))
  const sources = inRoom('**/*.ts', each.room)
  const tests = inRoom('**/*.test.ts', `test/${each.room}`)
  const isMirrored = (file: string) => sources.some((source) => file === source || file.startsWith(`${source}-`))
  expect(tests.length).toBeGreaterThan(10)
  expect(tests.filter((file) => !isMirrored(file) && !each.whole.includes(file) && !each.except.includes(dirname(file)))).toEqual(
    [],
  )
  expect(each.whole.filter((file) => !tests.includes(file))).toEqual([])
})
