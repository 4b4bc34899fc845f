import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { planCapacity } from '../../cli/capacity/capacity.ts'
import { FIGURES } from '../../cli/capacity/measurements.ts'
import { COMPILED } from '../support/program.ts'

const ROOT = join(import.meta.dirname, '../..')
const page = readFileSync(join(ROOT, 'docs/scaling.md'), 'utf8')

/** Cells of the row of docs/scaling.md that begins with `name`. */
const row = (name: string): readonly string[] => {
  const line = page.split('\n').find((each) => each.startsWith(`| ${name} |`))
  if (!line) throw new Error(`Expected a row ${name} in docs/scaling.md.`)
  return line.split('|').map((cell) => cell.trim())
}
const plan = (requestsPerSecond: number, sockets: number) =>
  planCapacity({ requestsPerSecond, sockets, crossPercent: 10, coresPerMachine: 8 })
const copiesOf = (requests: number, sockets: number) => plan(requests, sockets).parts.map(({ copies }) => copies)

describe('the capacity model', () => {
  test('starts from the figures of docs/scaling.md', () => {
    const [, , alone, , , one] = row('20 items of the directory')
    const [, , crossAlone, , , crossOne] = row('the same, with decisions of trust and posts: four fetches')
    const { oneProcessDirectoryMs, directoryMs, oneProcessCrossMs, crossMs } = FIGURES
    expect([alone, one, crossAlone, crossOne].map(Number)).toEqual(
      [oneProcessDirectoryMs, directoryMs, oneProcessCrossMs, crossMs].map(({ value }) => value),
    )
    const { balancerMs, gatewayMs, subgraphMs, socketsPerGateway, streamKilobytes } = FIGURES
    expect(page).toContain(`${balancerMs.value} in balancers, ${gatewayMs.value} in gateways, ${subgraphMs.value} in subgraphs`)
    expect(page).toContain(`sockets (${socketsPerGateway.value.toLocaleString('en-US')} each)`)
    expect(page).toContain(`about ${streamKilobytes.value} kB on both sides`)
    const { directoryConnections, socialConnections, storeConnections } = FIGURES
    expect(page).toContain(
      `up to ${directoryConnections.value} for the directory, ${socialConnections.value} for social and trust each, ${storeConnections.value} store`,
    )
  })

  test('comes to the table of docs/scaling.md', () => {
    for (const factor of ['10', '100', '1000']) {
      const [, , requests = '', cores = '', sockets = ''] = row(factor)
      const number = (text: string) => Number(text.replaceAll(',', ''))
      const sum = plan(number(requests), number(sockets)).parts.reduce((total, part) => total + part.cores, 0)
      expect(Math.abs(sum - number(cores)) / number(cores), `${factor} times`).toBeLessThan(0.05)
    }
    expect(copiesOf(30_000, 180_000)).toEqual([2, 13, 27])
    expect(copiesOf(1_000, 180_000)).toEqual([2, 9, 8])
  })

  test('names what decides, and doubles the cost of twice the requests', () => {
    expect(plan(300_000, 0).parts.map(({ driver }) => driver)).toEqual(['requests', 'requests', 'requests'])
    expect(plan(30_000, 1_000_000).parts[1]).toMatchObject({ copies: 50, driver: 'sockets' })
    expect(plan(0, 0).parts.map(({ driver }) => driver)).toEqual(Array.from({ length: 3 }, () => 'two copies at least'))
    expect(plan(60_000, 0).oneProcessCores).toBeCloseTo(2 * plan(30_000, 0).oneProcessCores, 0)
    expect(plan(0, 0)).toMatchObject({ machines: 2, redisServers: 1, streamGigabytes: 0, databaseConnections: 132 })
  })
})

const atrium = (...args: readonly string[]) =>
  execFileSync(process.execPath, [join(ROOT, 'cli/atrium.ts'), 'capacity', ...args], {
    env: { ...COMPILED, PATH: process.env.PATH },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })

test('npx atrium capacity marks each number as measured, configured or reckoned', () => {
  const text = atrium('--requests', '30000', '--sockets', '180000')
  expect(text).toMatch(/^Reckoned, at 60 % load:/)
  expect(text).toContain('gateways     13 copies, 13 cores')
  const figures = text.split('From these figures:\n')[1]?.split('\n\n')[0]?.split('\n') ?? []
  expect(figures).toHaveLength(Object.keys(FIGURES).length)
  for (const line of figures) expect(line).toMatch(/^ {2}(measured|configured|reckoned) .+\(.+\)$/)
  expect(JSON.parse(atrium('--requests', '0', '--json')).plan.machines).toBe(2)
  expect(() => atrium('--requests', '-1')).toThrow(/Expected a whole number from 0 to 10000000/)
})
