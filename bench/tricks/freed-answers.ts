/**
 * What it is worth to free the memory of large answers at once (platform/process/free-buffer.ts)
 * instead of leaving it to V8: the gateway passes on 836 kB of one subgraph (`payload` of
 * bench/peers) to twenty clients, with and without, in turns, a process for each.
 *
 *   node bench/tricks/freed-answers.ts [--rounds N (12)]
 */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { startSubgraphs } from '../peers/contenders.ts'
import { PEER_QUERIES } from '../peers/shapes.ts'
import { peerSupergraph } from '../peers/supergraph.ts'
import { processorMilliseconds, STARTED_WITH } from '../server.ts'
import { median, report } from './turns.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '12' } } })
const CLIENTS = 20
const REQUESTS_PER_TURN = 100

/** Leaves every buffer to V8. */
const WITHOUT = 'data:text/javascript,ArrayBuffer.prototype.transfer = function () { return this }'

const subgraphs = await startSubgraphs()
const body = JSON.stringify({ query: PEER_QUERIES.payload })

async function started(flags: readonly string[]) {
  const child = fork(join(import.meta.dirname, '../gateway/process.js'), ['atrium'], { execArgv: [...STARTED_WITH, ...flags] })
  const ready = new Promise<number>((resolve, reject) => {
    child.once('message', (port) => resolve(port as number)) // as process.js sends it
    child.once('exit', (code) => reject(new Error(`The gateway ended with ${code}.`)))
  })
  child.send({ supergraphSdl: peerSupergraph(subgraphs.urls), urls: subgraphs.urls, depth: 30 })
  const pool = new Pool(`http://127.0.0.1:${await ready}`, { connections: CLIENTS })
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  return {
    times: [] as number[],
    /** Milliseconds of processor time per request. */
    async turn() {
      const before = processorMilliseconds(child.pid ?? 0)
      let left = REQUESTS_PER_TURN
      const client = async () => {
        while (left-- > 0) {
          const answer = await pool.request({ method: 'POST', path: '/graphql', headers, body })
          await answer.body.arrayBuffer()
          if (answer.statusCode !== 200) throw new Error(`Expected status 200, got ${answer.statusCode}.`)
        }
      }
      await Promise.all(Array.from({ length: CLIENTS }, client))
      return (processorMilliseconds(child.pid ?? 0) - before) / REQUESTS_PER_TURN
    },
    async stop() {
      await pool.destroy()
      child.disconnect()
    },
  }
}

const [own, without] = [await started([]), await started(['--import', WITHOUT])]
for (const variant of [own, without]) await variant.turn()
for (let round = 0; round < Number(values.rounds); round++) {
  for (const variant of round % 2 === 0 ? [own, without] : [without, own]) variant.times.push(await variant.turn())
}
const figures = `${median(own.times).toFixed(2)} instead of ${median(without.times).toFixed(2)} ms`
const ofMinima = Math.min(...own.times) / Math.min(...without.times)
report('free 836 kB when they are sent', median(own.times) / median(without.times), ofMinima, figures)
await Promise.all([own.stop(), without.stop()])
subgraphs.stop()
