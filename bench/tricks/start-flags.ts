/**
 * What each flag of `npm start` is worth: the gateway with four subgraphs in its process answers
 * ten clients, with all flags and without one of them, in turns, a process for each.
 *
 *   node bench/tricks/start-flags.ts [--rounds N (12)] [--only FLAG]
 *
 * Half of the clients take compressed answers, which are made in threads, and before each turn the
 * process replaces 40 MB of objects, as when the directory is read again. Processor time and
 * resident memory are those of a turn.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { parse } from 'graphql'
import { Pool } from 'undici'
import { compose } from '../../gateway/planning/composition.ts'
import { LINK, QUERIES, SUBGRAPHS, VARIABLES } from '../gateway/shop.ts'
import { processorMilliseconds, residentBytes, STARTED_WITH } from '../server.ts'
import { median, report, THRESHOLDS } from './turns.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '12' }, only: { type: 'string', default: '' } },
})
const CLIENTS = 10
const REQUESTS_PER_TURN = 300
const WARM_UP = 600

type Variant = {
  readonly name: string
  readonly pid: number
  readonly ask: (count: number) => Promise<void>
  readonly refresh: (edition: number) => Promise<void>
  readonly stop: () => Promise<void>
}

const supergraphSdl = compose(
  SUBGRAPHS.map(({ name, types }) => ({ name, typeDefs: parse(LINK + types), url: `http://${name}.invalid/` })),
)
const body = JSON.stringify({ query: QUERIES.large, operationName: 'Large', variables: VARIABLES.large })

/** Starts the gateway without one flag; the empty text is none. */
async function started(without: string): Promise<Variant> {
  const child = fork(join(import.meta.dirname, 'served-gateway.js'), {
    execArgv: STARTED_WITH.filter((flag) => flag !== without),
  })
  const ready = new Promise<{ readonly port: number }>((resolve, reject) => {
    child.once('message', (message) => resolve(message as { port: number }))
    child.once('exit', (code) => reject(new Error(`The gateway ended with ${code}.`)))
  })
  child.send({ supergraphSdl })
  const pool = new Pool(`http://127.0.0.1:${(await ready).port}`, { connections: CLIENTS })
  return {
    name: without === '' ? 'all flags' : `without ${without}`,
    pid: child.pid ?? 0,
    async ask(count) {
      let left = count
      const client = async (_: unknown, index: number) => {
        while (left-- > 0) {
          const answer = await pool.request({
            method: 'POST',
            path: '/graphql',
            headers: {
              'content-type': 'application/json',
              accept: 'application/json',
              ...(index % 2 === 0 && { 'accept-encoding': 'gzip' }),
            },
            body,
          })
          await answer.body.arrayBuffer()
          if (answer.statusCode !== 200) throw new Error(`Expected status 200, got ${answer.statusCode}.`)
        }
      }
      await Promise.all(Array.from({ length: CLIENTS }, client))
    },
    async refresh(edition) {
      const done = once(child, 'message')
      child.send(edition)
      await done
    },
    async stop() {
      await pool.destroy()
      child.disconnect()
    },
  }
}

const names = ['', ...STARTED_WITH].filter((name) => name === '' || name.includes(values.only))
const variants: Variant[] = []
for (const name of names) variants.push(await started(name))
type Turn = { readonly milliseconds: number; readonly megabytes: number }
const turnsOf = new Map<Variant, Turn[]>(variants.map((variant) => [variant, []]))
for (const variant of variants) await variant.ask(WARM_UP)
for (let round = 0; round < Number(values.rounds); round++) {
  for (const variant of round % 2 === 0 ? variants : variants.toReversed()) {
    await variant.refresh(round)
    const before = processorMilliseconds(variant.pid)
    await variant.ask(REQUESTS_PER_TURN)
    turnsOf.get(variant)?.push({
      milliseconds: (processorMilliseconds(variant.pid) - before) / REQUESTS_PER_TURN,
      megabytes: residentBytes(variant.pid) / 1e6,
    })
  }
}

const [all, ...others] = variants
if (!all) throw new Error('Expected the gateway with all flags.')
for (const other of others) {
  const compareTurns = (what: string, unit: string, measureOf: (turn: Turn) => number, threshold: number) => {
    const [own, without] = [all, other].map((variant) => (turnsOf.get(variant) ?? []).map(measureOf)) as [number[], number[]]
    const figures = `${median(own).toFixed(2)} instead of ${median(without).toFixed(2)} ${unit}`
    report(`${other.name}: ${what}`, median(own) / median(without), Math.min(...own) / Math.min(...without), figures, threshold)
  }
  compareTurns('processor time', 'ms', ({ milliseconds }) => milliseconds, THRESHOLDS.processor)
  compareTurns('memory', 'MB', ({ megabytes }) => megabytes, THRESHOLDS.memory)
}
await Promise.all(variants.map(({ stop }) => stop()))
