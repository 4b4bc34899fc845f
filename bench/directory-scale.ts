/**
 * What a large directory costs a process: its start, memory, lists and searches, and an update.
 *
 *   node --expose-gc bench/directory-scale.ts [--items N (200000)] [--clients N (10)] [--requests N (20)] [FOLDER]
 *
 * Imports FOLDER (default ../shared/data/directory), and fills up to N items with copies whose keys,
 * names and descriptions have words of their own. Prints the bars beside what was measured: processor
 * time of a start from the database, of writing the catalogue to a file and of a start from that,
 * memory above the texts per item, processor time and p95 of operations with so many clients at once,
 * and of an update of 1,000 items how long it takes to be visible, the longest time that the event
 * loop did not turn and the most processor time of one turn, which others on the machine change less.
 * Exits 2 without data or --expose-gc.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { execute, parse } from 'graphql'
import pg from 'pg'
import pino from 'pino'
import type { Connection } from '../platform/database/database.ts'
import type { Subgraph } from '../platform/graphql/subgraph.ts'
import { type CatalogueStore, catalogueStore } from '../subgraphs/directory/catalogue-file/catalogue-store.ts'
import { importPaths } from '../subgraphs/directory/import/import.ts'
import { directorySubgraph } from '../subgraphs/directory/subgraph.ts'
import { withDatabase } from './relevance/directory.ts'
import { heldOutQueries } from './relevance/held-out.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    items: { type: 'string', default: '200000' },
    clients: { type: 'string', default: '10' },
    requests: { type: 'string', default: '20' },
  },
})
const [itemCount, clients, requests] = [Number(values.items), Number(values.clients), Number(values.requests)]
const folder = positionals[0] ?? join(import.meta.dirname, '../../shared/data/directory')
const collect = globalThis.gc
if (!existsSync(folder) || !collect) {
  console.error(`Needs data (${folder}) and --expose-gc.`)
  process.exit(2)
}
const log = pino({ level: 'warn' }, pino.destination(2))
const UPDATED_ITEMS = 1_000

/** Copies of items, each with a number in its key and words that few others have. */
const COPY = `
  INSERT INTO item (kind, identity, key, name, description, category, original_category, tags, popularity, detail, provenance,
                    created_at, updated_at, revision)
  SELECT kind, identity || '~' || n, key || '-' || n, name || ' ' || left(md5(id::text || n), 5),
         description || ' ' || left(md5(n::text || id), 6), category, original_category, tags, popularity / (n + 1),
         detail || CASE kind WHEN 'MCP_SERVER' THEN jsonb_build_object('repo', (detail ->> 'repo') || '-' || n)
                   ELSE jsonb_build_object('slug', (detail ->> 'slug') || '-' || n) END,
         provenance, created_at, updated_at, revision
  FROM item, generate_series(1, $1::int / (SELECT count(*) FROM item) + 1) AS n
  WHERE kind IN ('MCP_SERVER', 'PLUGIN', 'SKILL') AND removed_at IS NULL AND length(key) < 140
  ORDER BY n, id LIMIT $1::int - (SELECT count(*) FROM item)`

/** Characters of what a process reads of the items: neither schemas of tools nor sources of values. */
const TEXT = `
  SELECT count(*)::int AS items, sum(length(key) + length(name) + length(description) + length(category) + length(array_to_string(tags, ''))
    + length((detail - 'features')::text))::float8 AS characters
  FROM item WHERE kind IN ('MCP_SERVER', 'PLUGIN', 'SKILL') AND removed_at IS NULL`

const OPERATIONS: Readonly<Record<string, string>> = {
  'list of servers': '{ mcpServers(first: 20) { totalCount edges { node { owner repo title } } } }',
  'list with a filter and facets':
    '{ mcpServers(first: 20, filter: { transport: "stdio" }) { totalCount facets { tags { value count } } edges { node { title } } } }',
  'list in another order': '{ skills(first: 20, sort: UPDATED) { edges { node { name } } } }',
  'search, rare words': '{ search(query: "kubernetes postgres", first: 10) { totalCount edges { node { name } } } }',
  'search, a frequent word': '{ search(query: "api", first: 10) { totalCount edges { node { name } } } }',
  'search, a sentence':
    '{ search(query: "send a message to a slack channel when a build fails", first: 10) { edges { node { name } } } }',
  'search, a typing error': '{ search(query: "kuberntes", first: 10) { edges { node { name } } } }',
  'search, of each kind': '{ search(query: "data", firstOfEachKind: 8) { edges { node { name } } } }',
}

const DIFFERENT = 'query ($query: String!) { search(query: $query, first: 10) { totalCount edges { node { name } } } }'

const report = (what: string, value: string, bar = ''): void =>
  console.log(`${what.padEnd(44)} ${value.padStart(34)}${bar === '' ? '' : `   bar: ${bar}`}`)
const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1_000
}

await withDatabase(async (connection) => {
  await importPaths([folder], { connection, log, signal: new AbortController().signal })
  const client = new pg.Client({ ...connection, options: '-c search_path=directory,public' })
  await client.connect()
  await client.query(COPY, [itemCount])
  await client.query('ANALYZE item')
  const { rows } = await client.query<{ items: number; characters: number }>(TEXT)
  const { items, characters } = rows[0] ?? { items: 0, characters: 0 }
  report('items', items.toLocaleString('en-US'))
  const storeFolder = mkdtempSync(join(tmpdir(), 'atrium-catalogue-'))
  const first = await start('start from the database', connection, {
    items,
    characters,
    stored: catalogueStore(storeFolder, log, 0),
  })
  await first.close()
  const subgraph = await start('start from the file', connection, {
    items,
    characters,
    stored: catalogueStore(storeFolder, log, 0),
  })
  rmSync(storeFolder, { recursive: true })
  for (const [name, source] of Object.entries(OPERATIONS)) await measure(name, source, subgraph)
  const queries = [...new Set(heldOutQueries.map(({ query }) => query))]
  const different = queries.map((query) => ({ query }))
  await measure(`search, ${different.length} different queries`, DIFFERENT, subgraph, different)
  await update(client, subgraph)
  await subgraph.close()
  await client.end()
})

async function start(
  name: string,
  connection: Connection,
  { items, characters, stored }: { readonly items: number; readonly characters: number; readonly stored: CatalogueStore },
): Promise<Subgraph> {
  collect?.()
  const [before, cpu, started] = [process.memoryUsage(), process.cpuUsage(), performance.now()]
  const subgraph = await directorySubgraph({ connection, publicUrl: 'http://localhost', log, stored })
  const [used, took] = [cpuMs(cpu), performance.now() - started]
  const writing = process.cpuUsage()
  await stored.idle()
  const written = cpuMs(writing)
  collect?.()
  await sleep(100)
  collect?.()
  const after = process.memoryUsage()
  const bytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
  report(name, `${used.toFixed(0)} ms of processor, ${took.toFixed(0)} ms`, '6,000 ms')
  report('writing the file behind it', `${written.toFixed(0)} ms of processor`)
  report('memory', `${(bytes / 1e6).toFixed(0)} MB, texts ${(characters / 1e6).toFixed(0)} MB`)
  report('memory above the texts', `${((bytes - characters) / items).toFixed(0)} bytes an item`, '1,024')
  return subgraph
}

/** The most processor time of the thread in one turn of the event loop, until the returned function is called. Milliseconds. */
function measureTurns(): () => number {
  let [max, isOn, since] = [0, true, process.threadCpuUsage()]
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(since)
    max = Math.max(max, (user + system) / 1_000)
    since = process.threadCpuUsage()
    if (isOn) setImmediate(turn)
  }
  setImmediate(turn)
  return () => {
    isOn = false
    return max
  }
}

/** `variables`: of one request each; absent: all requests are the same, so many of each client. */
async function measure(
  name: string,
  source: string,
  subgraph: Subgraph,
  variables: readonly Readonly<Record<string, string>>[] = Array.from({ length: clients * requests + 1 }, () => ({})),
): Promise<void> {
  const document = parse(source)
  const waiting = [...variables]
  const run = async (): Promise<number> => {
    const variableValues = waiting.pop() ?? {}
    const started = performance.now()
    const contextValue = subgraph.context({ requestId: 'bench', address: '127.0.0.1', credentials: {} })
    const { errors } = await execute({ schema: subgraph.schema, document, contextValue, variableValues })
    if (errors) throw errors[0]
    return performance.now() - started
  }
  const first = await run()
  const [cpu, times] = [process.cpuUsage(), [] as number[]]
  const oneClient = async (): Promise<void> => {
    while (waiting.length > 0) {
      times.push(await run())
      // As a socket would: the next request comes in a turn of its own.
      await new Promise(setImmediate)
    }
  }
  await Promise.all(Array.from({ length: clients }, oneClient))
  const each = cpuMs(cpu) / times.length
  times.sort((one, other) => one - other)
  const p95 = times[Math.floor(times.length * 0.95)] ?? 0
  // A request waits for those of all other clients on the one thread.
  report(
    name,
    `${each.toFixed(1)} ms each, first ${first.toFixed(0)} ms, ${(each * clients).toFixed(0)} ms with ${clients}`,
    `80 ms (p95 here ${p95.toFixed(0)} ms)`,
  )
}

async function update(client: pg.Client, subgraph: Subgraph): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  await client.query('BEGIN')
  await client.query('UPDATE revision SET number = number + 1, changed_at = now()')
  await client.query(
    `UPDATE item SET description = description || ' zebrafish', popularity = popularity + 1, updated_at = now(),
       revision = (SELECT number FROM revision)
     WHERE id IN (SELECT id FROM item WHERE kind IN ('MCP_SERVER', 'PLUGIN', 'SKILL') AND removed_at IS NULL
                  ORDER BY md5(id::text) LIMIT ${UPDATED_ITEMS})`,
  )
  await client.query('NOTIFY directory_revision')
  delay.enable()
  const stop = measureTurns()
  const [cpu, started] = [process.cpuUsage(), performance.now()]
  await client.query('COMMIT')
  const document = parse('{ search(query: "zebrafish", first: 1) { totalCount } }')
  for (;;) {
    const contextValue = subgraph.context({ requestId: 'bench', address: '127.0.0.1', credentials: {} })
    const { data } = await execute({ schema: subgraph.schema, document, contextValue })
    const { totalCount } = (data as { search: { totalCount: number } }).search
    if (totalCount >= UPDATED_ITEMS) break
    await sleep(5)
  }
  delay.disable()
  const [maxTurn, used] = [stop(), cpuMs(cpu)]
  report('update of 1,000 items', `visible after ${(performance.now() - started).toFixed(0)} ms`, '2,000 ms')
  report('processor time of it', `${used.toFixed(0)} ms`)
  report('most processor time of one turn', `${maxTurn.toFixed(1)} ms`, '20 ms')
  report('longest time without a turn', `${(delay.max / 1e6).toFixed(1)} ms`, '20 ms (alone on the machine)')
}
