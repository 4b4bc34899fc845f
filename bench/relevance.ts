/**
 * How often search gives people what they look for, over real data.
 *
 *   node bench/relevance.ts [--json] [FOLDER]
 *
 * Imports FOLDER (default ../shared/data/directory) into a database of its own on the server of
 * DATABASE_URL, or on an embedded one, and runs every query of relevance/queries.ts, on which the
 * search is tuned, and of relevance/held-out.ts, on which it is not. Reports, by class and in all,
 * the share of queries whose wanted item is among the first results that the query allows, among
 * the first three, and first. Exits 1 below the bars.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type RunOperation, withDirectory } from './relevance/directory.ts'
import { heldOutQueries } from './relevance/held-out.ts'
import { type Query, queries } from './relevance/queries.ts'

/**
 * Share of queries that must succeed: what the best directories reach (96 to 99 %), less what is a
 * matter of taste.
 */
const BAR = 0.95
/** Share of kept-back queries whose wanted item must be the first. */
const FIRST_BAR = 0.8

const asJson = process.argv.includes('--json')
const folder =
  process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? join(import.meta.dirname, '../../shared/data/directory')
if (!existsSync(folder)) {
  console.error(`There is no data at ${folder}: name a folder that \`npx atrium import\` takes.`)
  process.exit(2)
}

const results = await withDirectory(folder, measure)
report(results.slice(0, queries.length), results.slice(queries.length))

type Node = { key: string; name: string; description: string; deprecated: boolean }
type Result = {
  readonly query: Query
  readonly place: number | null
  readonly succeeds: boolean
  /** A deprecated item leads although a living one that is wanted follows. */
  readonly isOldFirst: boolean
  readonly found: readonly Node[]
  readonly milliseconds: number
}

async function measure(run: RunOperation): Promise<readonly Result[]> {
  const source = `query ($query: String!, $kind: DirectoryKind!, $first: Int!) { search(query: $query, kinds: [$kind], first: $first) { edges { node {
    name description
    ... on McpServer { owner repo deprecated } ... on Plugin { marketplaceSlug slug } ... on Skill { skillSlug: slug } } } } }`
  const results: Result[] = []
  for (const query of [...queries, ...heldOutQueries]) {
    const started = performance.now()
    const data = await run(source, { query: query.query, kind: query.kind, first: Math.max(query.within, 3) })
    const milliseconds = performance.now() - started
    const { search } = data as { search: { edges: { node: Record<string, string> }[] } }
    const found = search.edges.map(({ node }) => ({
      key: node.owner ? `${node.owner}/${node.repo}` : (node.skillSlug ?? `${node.marketplaceSlug}/${node.slug}`),
      name: node.name ?? '',
      description: node.description ?? '',
      deprecated: Boolean(node.deprecated),
    }))
    const { wanted } = query
    const isWanted = (item: Node): boolean =>
      wanted !== null && ('key' in wanted ? wanted.key.test(item.key) : wanted.about.test(`${item.name} ${item.description}`))
    const place = found.findIndex(isWanted)
    results.push({
      query,
      place: place < 0 ? null : place + 1,
      succeeds: wanted === null ? found.length === 0 : place >= 0 && place < query.within,
      isOldFirst: found[0]?.deprecated === true && found.some((item) => !item.deprecated && isWanted(item)),
      found,
      milliseconds,
    })
  }
  return results
}

function report(tuned: readonly Result[], heldOut: readonly Result[]): void {
  const sets = { tuned: summaryOf(tuned), 'kept back': summaryOf(heldOut) }
  const misses = [...tuned, ...heldOut].filter(({ succeeds }) => !succeeds)
  const keysOf = ({ found }: Result) => found.map(({ key }) => key)
  if (asJson) {
    const missed = misses.map((result) => ({ query: result.query.query, kind: result.query.kind, found: keysOf(result) }))
    console.log(JSON.stringify({ summary: sets, misses: missed }, null, 2))
  } else {
    for (const [title, summary] of Object.entries(sets)) {
      console.log(`${title.padEnd(14)} queries  found  first 3  first`)
      for (const [row, { queries: count, found, firstThree, first }] of Object.entries(summary)) {
        const percent = [found, firstThree, first].map((share) => `${(100 * share).toFixed(1)} %`.padStart(8))
        console.log(`  ${row.padEnd(12)} ${String(count).padStart(6)} ${percent.join(' ')}`)
      }
    }
    for (const result of misses) {
      const { query, kind, within } = result.query
      console.log(`missed: ${JSON.stringify(query)} (${kind}, first ${within}): ${keysOf(result).join(', ') || 'nothing'}`)
    }
    for (const { query } of [...tuned, ...heldOut].filter(({ isOldFirst }) => isOldFirst)) {
      console.log(`a deprecated item leads: ${JSON.stringify(query.query)}`)
    }
  }
  const [all, unseen] = [sets.tuned.all, sets['kept back'].all]
  const isGood = all && unseen && all.found >= BAR && unseen.firstThree >= BAR && unseen.first >= FIRST_BAR
  if (!isGood || [...tuned, ...heldOut].some(({ isOldFirst }) => isOldFirst)) process.exitCode = 1
}

type Summary = { readonly queries: number; readonly found: number; readonly firstThree: number; readonly first: number }

/** By class, by kind and in all; shares of 1. Queries that must find nothing count as first then. */
function summaryOf(results: readonly Result[]): Readonly<Record<string, Summary>> {
  const shareOf = (some: readonly Result[], isGood: (result: Result) => boolean) => some.filter(isGood).length / some.length
  const isWithin = (places: number) => (result: Result) =>
    result.query.wanted === null ? result.succeeds : result.place !== null && result.place <= places
  const groups = [
    ...Map.groupBy(results, ({ query }) => query.class),
    ...Map.groupBy(results, ({ query }) => query.kind),
    ['all', results] as const,
  ]
  return Object.fromEntries(
    groups.map(([title, some]) => [
      title,
      {
        queries: some.length,
        found: shareOf(some, ({ succeeds }) => succeeds),
        firstThree: shareOf(some, isWithin(3)),
        first: shareOf(some, isWithin(1)),
      },
    ]),
  )
}
