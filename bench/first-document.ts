/**
 * What a gateway of 1,000 types holds after its start, and how long it takes to the answer of the
 * first document: `node bench/first-document.ts [rounds] [other checkout]`. Both checkouts are
 * measured in turns; a figure is the median with its range, and the ratio of both.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'graphql'
import { compose } from '../gateway/planning/composition.ts'

const TYPES = 1_000
const SUBGRAPHS = 5
/** How long a started gateway is left alone before it gets the first document. */
const IDLE_MS = 4_000

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])'
const [rounds = '5', other] = process.argv.slice(2)
const folders = [join(import.meta.dirname, '..'), ...(other === undefined ? [] : [other])]

const stub = createServer((request, response) => {
  request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{"data":{"t0":null}}'))
})
await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve))
const home = mkdtempSync(join(tmpdir(), 'atrium-first-document-'))
const file = join(home, 'supergraph.graphql')
writeFileSync(file, supergraphAt(`http://127.0.0.1:${(stub.address() as AddressInfo).port}`))

type Figures = Record<'ready ms' | 'MiB resident' | 'first ms' | 'second ms' | 'MiB later', number>
const figures = folders.map((): Figures[] => [])
try {
  // The first one fills the caches of compiled code.
  for (const folder of folders) await measure(folder)
  for (let round = 0; round < Number(rounds); round++) {
    for (const [at, folder] of folders.entries()) figures[at]?.push(await measure(folder))
  }
} finally {
  stub.close().closeAllConnections()
  rmSync(home, { recursive: true })
}
for (const name of Object.keys(figures[0]?.[0] ?? {}) as (keyof Figures)[]) {
  const lists = figures.map((list) => list.map((each) => each[name]).sort((one, next) => one - next))
  const medians = lists.map((list) => list[Math.floor(list.length / 2)] ?? Number.NaN)
  const texts = lists.map((list, at) => `${medians[at]?.toFixed(0)} (${list.at(0)?.toFixed(0)}–${list.at(-1)?.toFixed(0)})`)
  const [own = Number.NaN, others] = medians
  console.log(
    `${name.padEnd(14)} ${texts.join(' against ')}${others === undefined ? '' : `, ratio ${(own / others).toFixed(2)}`}`,
  )
}

/** Types with a key that all subgraphs have, each with fields of its own and a way to the next. */
function supergraphAt(base: string): string {
  const definitions = Array.from({ length: SUBGRAPHS }, (_, graph) => {
    const types = Array.from({ length: TYPES }, (_, type) => {
      const isOwner = type % SUBGRAPHS === graph
      if (!isOwner && (type + 1) % SUBGRAPHS !== graph) return ''
      const fields = [
        'name: String',
        'size(unit: String): Int',
        `next: T${(type + 1) % TYPES}`,
        `all(first: Int): [T${(type + 7) % TYPES}!]`,
      ]
      return `type T${type} @key(fields: "id") { id: ID! ${isOwner ? fields.join(' ') : `rank${graph}: Int note${graph}: String`} }`
    })
    // A type that fields of this one return is known to every subgraph that returns it.
    const refers = Array.from({ length: TYPES }, (_, type) => type).filter((type) => type % SUBGRAPHS === graph)
    const known = new Set(types.flatMap((text, type) => (text === '' ? [] : [type])))
    const stubs = [...new Set(refers.flatMap((type) => [(type + 1) % TYPES, (type + 7) % TYPES]))]
      .filter((type) => !known.has(type))
      .map((type) => `type T${type} @key(fields: "id", resolvable: false) { id: ID! }`)
    const roots = refers.slice(0, 40).map((type) => `t${type}(id: ID): T${type}`)
    const text = `${LINK} type Query { ${roots.join(' ')} } ${[...types, ...stubs].join('\n')}`
    return { name: `graph${graph}`, typeDefs: parse(text), url: `${base}/${graph}` }
  })
  return compose(definitions)
}

async function measure(folder: string): Promise<Figures> {
  const main = join(folder, 'gateway/main.ts')
  if (!existsSync(main)) throw new Error(`Expected a checkout at ${folder}.`)
  const began = performance.now()
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH ?? '', SUPERGRAPH_FILE: file, PORT: '0', NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += chunk
      const [found] = /http:\S+/.exec(said) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once('exit', () => reject(new Error(said)))
  })
  const ready = performance.now() - began
  await sleep(IDLE_MS)
  const resident = residentOf(child.pid ?? 0)
  const first = await timeOf(url, '{ t0 { id name next { size note2 next { name } } } }')
  const second = await timeOf(url, '{ t0 { name rank1 all { name next { id name } } } }')
  await sleep(500)
  const later = residentOf(child.pid ?? 0)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
  return { 'ready ms': ready, 'MiB resident': resident, 'first ms': first, 'second ms': second, 'MiB later': later }
}

async function timeOf(url: string, query: string): Promise<number> {
  const began = performance.now()
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const { data, errors } = (await response.json()) as { data?: unknown; errors?: unknown }
  if (errors || data === undefined) throw new Error(JSON.stringify(errors))
  return performance.now() - began
}

function residentOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}
