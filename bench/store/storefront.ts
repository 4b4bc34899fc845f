/**
 * Time of lists that shoppers read in a store of many products: p50 and p95 of the operation in the
 * subgraph, with PostgreSQL, one after the other.
 *
 *   [DATABASE_URL=postgres://…] node bench/store/storefront.ts [--products 100000] [--rounds 40]
 *
 * Without DATABASE_URL in a temporary embedded PostgreSQL. Says OVER, and exits 1, where a p95 is
 * above 40 ms.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { graphql } from 'graphql'
import pino from 'pino'
import { databaseServer } from '../../platform/database/server.ts'
import { storeFiles } from '../../subgraphs/store/file/files.ts'
import { localStorage } from '../../subgraphs/store/file/local-storage.ts'
import { fileSources } from '../../subgraphs/store/file/source.ts'
import { storeSubgraph } from '../../subgraphs/store/subgraph.ts'
import { filledDatabase } from './database.ts'

const MAX_P95_MS = 40

const CARD = 'nodes { name permalink price { amount } availability images { url } }'
/** `%` stands for a number that changes with each round. */
const LISTS: Readonly<Record<string, string>> = {
  'front page': `products { ${CARD} }`,
  'cheapest first': `products(sort: PRICE_ASC) { ${CARD} }`,
  'by name': `products(sort: NAME) { ${CARD} }`,
  'collection of 500': `products(filter: {collection: "category-1%"}) { ${CARD} totalCount }`,
  'collection of 5,000, cheapest first': `products(filter: {collection: "category-1"}, sort: PRICE_ASC) { ${CARD} }`,
  'brand and price': `products(filter: {brands: ["Brand 1%"], priceMin: "20", priceMax: "90"}) { ${CARD} }`,
  'search, few': `products(query: "kettle 1%7") { ${CARD} totalCount }`,
  'search, 2,000 of a word': `products(query: "kettle") { ${CARD} }`,
  'search, misspelt': `products(query: "kettel 1%7") { searchedFor ${CARD} }`,
  'search with facets': `products(query: "olive kettle") { ${CARD} facets { brands { value count } collections { value count } options { name values { value count } } priceMin } }`,
  'facets of a collection': `products(filter: {collection: "category-1%"}) { facets { brands { value count } collections { value count } } }`,
  'facets of everything': 'products { facets { brands { value count } collections { value count } } }',
  'product page': `product(permalink: "product-1%3") { name description price { amount compareAt } images { url } options { name values { name } }
    variants { id price { amount } availability options { name value } } rating { average count } related { ${CARD.replace(/^nodes \{|\}$/g, '')} } }`,
}

const { values } = parseArgs({
  options: { products: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '40' } },
})
const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-storefront-'))
const log = pino({ level: 'warn' })
const server = await databaseServer({ databaseUrl: process.env.DATABASE_URL, dataDir: folder, log })
let isOver = false
try {
  const { connectionString } = server.connection as { readonly connectionString: string }
  const size = { products: Number(values.products), orders: 0 }
  const filled = await filledDatabase(connectionString, size, new AbortController().signal)
  const publicUrl = 'http://localhost'
  const subgraph = await storeSubgraph({
    connection: { connectionString: filled.url },
    publicUrl,
    files: storeFiles(await localStorage({ folder, publicUrl }), fileSources()),
    log,
  })
  for (const [name, fields] of Object.entries(LISTS)) {
    const times: number[] = []
    for (let round = 0; round < Number(values.rounds) + 5; round += 1) {
      const source = `{ storefront(store: "bench-store") { ${fields.replaceAll('%', String(round % 10))} } }`
      const caller = { requestId: 'bench', address: '127.0.0.1', credentials: {} }
      const before = performance.now()
      const { errors } = await graphql({ schema: subgraph.schema, source, contextValue: subgraph.context(caller) })
      // Code is compiled and statements are prepared in the first rounds.
      if (round >= 5) times.push(performance.now() - before)
      if (errors) throw new Error(`${name}: ${errors[0]?.message}`)
    }
    times.sort((one, other) => one - other)
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
    const said = at(0.95) > MAX_P95_MS ? 'OVER' : ''
    isOver ||= said !== ''
    console.log(`${name.padEnd(40)} p50 ${at(0.5).toFixed(1).padStart(7)} ms  p95 ${at(0.95).toFixed(1).padStart(7)} ms  ${said}`)
  }
  await subgraph.close()
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(isOver ? 1 : 0)
