import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const SUBGRAPHS = ['directory', 'social', 'store', 'trust'] as const

type Edge = { readonly from: string; readonly to: string }

/** Every import of one of our files by another in `subgraphs/`, of types as well. */
const imports: readonly Edge[] = globSync('subgraphs/**/*.ts', { cwd: ROOT }).flatMap((from) =>
  [...readFileSync(join(ROOT, from), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path = '']) => ({
    from,
    to: relative(ROOT, join(ROOT, dirname(from), path)),
  })),
)

/**
 * Files that put the nouns of a subgraph together: they know all of them, and the resolvers of
 * nouns know the context.
 */
const COMPOSITION = /^subgraphs\/\w+\/(context|subgraph|resolvers|tables)\.ts$|^subgraphs\/\w+\/tables\//

/**
 * Dependencies against the direction of their nouns, each for a reason. `from` is the noun below.
 */
const AGAINST: readonly (Edge & { readonly why: string })[] = [
  {
    from: 'store/product',
    to: 'store/product-variant',
    why: 'a product is written together with its variants, whose options are made by name: one aggregate, behind the lock of the product',
  },
  {
    from: 'store/product-option',
    to: 'store/product-variant',
    why: 'deleting an option merges the combinations of the variants of the same product',
  },
  {
    from: 'store/order',
    to: 'store/fulfillment',
    why: 'the tracking of an order and of its newest fulfillment are the same, whichever of the two is changed',
  },
  {
    from: 'store/webhook-subscription',
    to: 'store/webhook-delivery',
    why: 'a subscription that is changed, paused or resumed moves its waiting deliveries in the same transaction',
  },
  {
    from: 'social/session',
    to: 'social/user',
    why: 'a session is of a user, who deletes an account with the password of a session',
  },
  { from: 'social/room-invitation', to: 'social/room', why: 'an invitation is answered behind the lock of its room' },
]

/** The folder of a noun, or a file beside the nouns, without `subgraphs/`. */
const nounOf = (path: string): string => path.split('/').slice(1, 3).join('/')

/** Groups of nodes that reach each other (Tarjan), sorted. */
function circles(edges: readonly Edge[]): readonly (readonly string[])[] {
  const targets = new Map<string, Set<string>>()
  for (const { from, to } of edges) {
    if (from !== to) targets.set(from, (targets.get(from) ?? new Set()).add(to))
  }
  const [index, low, stack, found] = [new Map<string, number>(), new Map<string, number>(), [] as string[], [] as string[][]]
  const visit = (node: string): void => {
    index.set(node, index.size)
    low.set(node, index.get(node) ?? 0)
    stack.push(node)
    for (const next of targets.get(node) ?? []) {
      if (!index.has(next)) visit(next)
      else if (!stack.includes(next)) continue
      low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0))
    }
    if (low.get(node) !== index.get(node)) return
    const group = stack.splice(stack.indexOf(node))
    if (group.length > 1) found.push(group.sort())
  }
  for (const node of targets.keys()) if (!index.has(node)) visit(node)
  return found
}

const ofSubgraphs = imports.filter(({ from, to }) =>
  SUBGRAPHS.some((name) => from.startsWith(`subgraphs/${name}/`) && to.startsWith(`subgraphs/${name}/`)),
)
const ofNouns = ofSubgraphs
  .filter(({ from, to }) => !COMPOSITION.test(from) && !COMPOSITION.test(to))
  .map(({ from, to }) => ({ from: nounOf(from), to: nounOf(to) }))
const isSame = (one: Edge, other: Edge) => one.from === other.from && one.to === other.to

test('a circle is found, also through a third', () => {
  const edge = (from: string, to: string) => ({ from, to })
  expect(circles([edge('a', 'b'), edge('b', 'c'), edge('c', 'a'), edge('c', 'd'), edge('e', 'a')])).toEqual([['a', 'b', 'c']])
  expect(circles([edge('a', 'b'), edge('a', 'c'), edge('b', 'c')])).toEqual([])
})

test('no files of a subgraph import each other in a circle, not even for types', () => {
  expect(ofSubgraphs.length).toBeGreaterThan(1_000)
  expect(circles(ofSubgraphs)).toEqual([])
})

test('the nouns of a subgraph depend on each other in one direction only', () => {
  expect(circles(ofNouns.filter((edge) => !AGAINST.some((excused) => isSame(edge, excused))))).toEqual([])
})

test.each(AGAINST)('$from still depends on $to, against the direction', (excused) => {
  expect(ofNouns.some((edge) => isSame(edge, excused))).toBe(true)
  expect(circles(ofNouns.filter((edge) => !AGAINST.some((other) => other !== excused && isSame(edge, other))))).not.toEqual([])
})

describe('below orders and promotions', () => {
  test.each(['store/tax', 'store/inventory', 'store/amount.ts'])('%s depends on neither', (noun) => {
    const reached = new Set([noun])
    for (const node of reached) for (const { from, to } of ofNouns) if (from === node) reached.add(to)
    expect([...reached].filter((node) => node === 'store/order' || node === 'store/promotion')).toEqual([])
  })

  test('promotions do not depend on orders', () => {
    expect(ofNouns.filter((edge) => isSame(edge, { from: 'store/promotion', to: 'store/order' }))).toEqual([])
  })
})

/** Folders of a subgraph that are no noun of its schema, each for a reason. */
const WITHOUT_SCHEMA: readonly { readonly folder: string; readonly why: string }[] = [
  { folder: 'directory/catalogue-file', why: 'the catalogue in a file between two starts; no field of the graph' },
  { folder: 'directory/import', why: 'reads catalogues of other directories; a command, no field of the graph' },
  { folder: 'directory/job-thread', why: 'runs sources and observations in threads; jobs, no field of the graph' },
  { folder: 'directory/probe', why: 'reads lists of remote servers for the features of servers; a job and a command' },
  { folder: 'directory/word-index', why: 'the index in memory that search reads' },
  { folder: 'store/access', why: 'credentials and permissions of every field; its contract is the directives' },
  { folder: 'store/customer-record', why: 'customers in files of imports and exports' },
  { folder: 'store/file', why: 'bytes of images, attachments and assets, which are the nouns' },
  { folder: 'store/low-stock-alert', why: 'crossings of thresholds, which triggers note, and the e-mails about them' },
  { folder: 'store/mail', why: 'the queue of e-mails, which nouns write; its contract is SMTP' },
  { folder: 'store/oauth', why: 'OAuth endpoints over HTTP; its contract is RFC 6749' },
  { folder: 'store/operator', why: 'commands of operators' },
  { folder: 'store/order-record', why: 'orders in files of imports and exports' },
  { folder: 'store/page-label', why: 'the one table and rules behind page-category and page-template' },
  { folder: 'store/product-record', why: 'products in files of imports and exports' },
  { folder: 'store/record-file', why: 'reads files of imports; its contract is CSV and JSON lines' },
  { folder: 'store/sample', why: 'data of the demo store' },
  { folder: 'trust/collectors', why: 'sources of evidence: DNS, RDAP, lists; they answer assessments' },
  { folder: 'trust/pipeline', why: 'pure stages from evidence to decision' },
]

const nounsOf = (subgraph: string, folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder, subgraph), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.graphql'))
    .map(({ name }) => name.replace(/\.graphql$/, ''))
    .filter((name) => name !== 'schema')

/** `order-calculation` is the folder `order-calculation` or `order/calculation`. */
const hasFolder = (subgraph: string, noun: string): boolean =>
  [...noun.matchAll(/-/g)]
    .map(({ index }) => `${noun.slice(0, index)}/${noun.slice(index + 1)}`)
    .concat(noun)
    .some((path) => existsSync(join(ROOT, 'subgraphs', subgraph, path)))

describe.each(SUBGRAPHS)('schema files and folders of %s', (subgraph) => {
  test('every schema file has a folder of its name', () => {
    expect(nounsOf(subgraph, 'schema').filter((noun) => !hasFolder(subgraph, noun))).toEqual([])
  })

  test('every folder has a schema file of its name, or a reason', () => {
    const nouns = new Set(nounsOf(subgraph, 'schema'))
    const excused = WITHOUT_SCHEMA.map(({ folder }) => folder)
    expect(
      nounsOf(subgraph, 'subgraphs')
        .filter((noun) => !nouns.has(noun))
        .map((noun) => `${subgraph}/${noun}`),
    ).toEqual(excused.filter((folder) => folder.startsWith(`${subgraph}/`)))
  })
})
