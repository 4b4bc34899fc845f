/**
 * What a trust decision costs: the engine by itself, then the whole service.
 *
 *   node bench/trust.ts [--json] [--only engine|service] [--seconds N (10)] [--lines N (1000000)]
 *
 * Prints figures beside their bars, and exits 1 when one is above. Figures of the service are by
 * the clock: on a busy machine they say more about that.
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { engineFigures } from './trust/engine.ts'
import type { Figure } from './trust/figure.ts'
import { serviceFigures } from './trust/load.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '10' },
    lines: { type: 'string', default: '1000000' },
  },
})
const load = loadavg()[0] ?? Number.NaN
const figures: Figure[] = []
if (values.only !== 'service') figures.push(...engineFigures())
if (values.only !== 'engine') {
  figures.push(...(await serviceFigures({ seconds: Number(values.seconds), lines: Number(values.lines) })))
}

if (values.json) console.log(JSON.stringify({ load, figures }, null, 2))
else {
  console.log(`Load of the machine before: ${load.toFixed(2)}`)
  for (const { what, value, unit, bar } of figures) {
    const verdict = bar === null ? '' : value <= bar ? `within ${bar}` : `OVER ${bar}`
    console.log(
      `${what.padEnd(66)} ${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0).padStart(8)} ${unit.padEnd(12)} ${verdict}`.trimEnd(),
    )
  }
}
if (figures.some(({ value, bar }) => bar !== null && value > bar)) process.exitCode = 1
