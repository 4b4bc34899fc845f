/**
 * How often search gives people what they look for, over real data.
 *
 *   node bench/relevance.ts [--json] [--misses] [FOLDER]
 *
 * Imports FOLDER (default ../shared/data/directory) into a database of its own on the server of
 * DATABASE_URL, or on an embedded one, runs every query of relevance/queries.ts, and reports the
 * share of those that succeed, by class and in all. Exits 1 below 95 %.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { graphql } from 'graphql'
import pg from 'pg'
import pino from 'pino'
import { migrate } from '../platform/database/migrate.ts'
import { databaseServer } from '../platform/database/server.ts'
import { importPaths } from '../subgraphs/directory/import/import.ts'
import { directorySubgraph } from '../subgraphs/directory/subgraph.ts'
import { type Query, queries } from './relevance/queries.ts'

/**
 * Share of queries that must succeed: what the best directories reach (96 to 99 %), less what is a
 * matter of taste.
 */
const BAR = 0.95

const log = pino({ level: 'warn' }, pino.destination(2))
const asJson = process.argv.includes('--json')
const folder =
  process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? join(import.meta.dirname, '../../shared/data/directory')
if (!existsSync(folder)) {
  console.error(`There is no data at ${folder}: name a folder that \`npx atrium import\` takes.`)
  process.exit(2)
}

const dataDir = mkdtempSync(join(tmpdir(), 'atrium-relevance-'))
const server = await databaseServer({ databaseUrl: process.env.DATABASE_URL, dataDir, log })
const name = `atrium_relevance_${randomUUID().replaceAll('-', '')}`
const admin = new pg.Client(server.connection)
await admin.connect()
await admin.query(`CREATE DATABASE ${name}`)
try {
  const results = await measure()
  report(results)
} finally {
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
  await admin.end()
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

type Node = { key: string; name: string; description: string }
type Result = {
  readonly query: Query
  readonly place: number | null
  readonly succeeds: boolean
  readonly found: readonly Node[]
  readonly milliseconds: number
}

async function measure(): Promise<readonly Result[]> {
  const url = new URL('connectionString' in server.connection ? server.connection.connectionString : '')
  url.pathname = `/${name}`
  const connection = { connectionString: url.href }
  await migrate(connection)
  await importPaths([folder], { connection, log, signal: new AbortController().signal })
  const subgraph = await directorySubgraph({ connection, publicUrl: 'http://localhost', log })
  const caller = { requestId: 'bench', address: '127.0.0.1', credentials: {} }
  const source = `query ($query: String!, $kind: DirectoryKind!, $first: Int!) { search(query: $query, kinds: [$kind], first: $first) { edges { node {
    name description
    ... on McpServer { owner repo } ... on Plugin { marketplaceSlug slug } ... on Skill { skillSlug: slug } } } } }`
  const results: Result[] = []
  for (const query of queries) {
    const started = performance.now()
    const { data, errors } = await graphql({
      schema: subgraph.schema,
      source,
      variableValues: { query: query.query, kind: query.kind, first: query.within },
      contextValue: subgraph.context(caller),
    })
    if (errors) throw errors[0]
    const milliseconds = performance.now() - started
    const { search } = data as { search: { edges: { node: Record<string, string> }[] } }
    const found = search.edges.map(({ node }) => ({
      key: node.owner ? `${node.owner}/${node.repo}` : (node.skillSlug ?? `${node.marketplaceSlug}/${node.slug}`),
      name: node.name ?? '',
      description: node.description ?? '',
    }))
    const { wanted } = query
    const place =
      wanted === null
        ? -1
        : found.findIndex((item) =>
            'key' in wanted ? wanted.key.test(item.key) : wanted.about.test(`${item.name} ${item.description}`),
          )
    results.push({
      query,
      place: place < 0 ? null : place + 1,
      succeeds: wanted === null ? found.length === 0 : place >= 0,
      found,
      milliseconds,
    })
  }
  await subgraph.close()
  return results
}

function report(results: readonly Result[]): void {
  const share = (some: readonly Result[]) => some.filter(({ succeeds }) => succeeds).length / some.length
  const classes = [...new Set(results.map(({ query }) => query.class))]
  const kinds = [...new Set(results.map(({ query }) => query.kind))]
  const total = share(results)
  const rows = [
    ...classes.map((cls) => [cls, results.filter(({ query }) => query.class === cls)] as const),
    ...kinds.map((kind) => [kind, results.filter(({ query }) => query.kind === kind)] as const),
    ['all', results] as const,
  ]
  const misses = results.filter(({ succeeds }) => !succeeds)
  if (asJson) {
    const summary = Object.fromEntries(rows.map(([title, some]) => [title, { queries: some.length, share: share(some) }]))
    console.log(
      JSON.stringify(
        {
          summary,
          misses: misses.map(({ query, found }) => ({
            query: query.query,
            kind: query.kind,
            found: found.map(({ key }) => key),
          })),
        },
        null,
        2,
      ),
    )
  } else {
    for (const [title, some] of rows) {
      console.log(
        `${title.padEnd(12)} ${String(some.filter(({ succeeds }) => succeeds).length).padStart(4)} of ${String(some.length).padStart(4)}  ${(100 * share(some)).toFixed(1).padStart(5)} %`,
      )
    }
    for (const { query, found } of misses) {
      console.log(
        `missed: ${JSON.stringify(query.query)} (${query.kind}, first ${query.within}): ${found.map(({ key }) => key).join(', ') || 'nothing'}`,
      )
    }
  }
  if (total < BAR) process.exitCode = 1
}
