import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerOf, type ContractAnswer, type ContractCase, JSON_TYPE } from './contract-case.ts'
import { DIFFERENCES } from './differences.ts'
import { ENGINES, type Engine, type EngineName, startSmallGraph, startSystem } from './engines.ts'
import { REQUEST_CASES } from './request-cases.ts'
import { SYSTEM_CASES } from './system-cases.ts'

/** A line of the printed table. */
type Row = { readonly what: string; readonly atrium: string; readonly apollo: string; readonly why: string }
const rows: Row[] = []

describe.each([
  { graph: 'the small graph', start: startSmallGraph, cases: REQUEST_CASES },
  { graph: 'the whole system', start: startSystem, cases: SYSTEM_CASES },
])('on $graph', ({ start, cases }) => {
  const engines = new Map<EngineName, Engine>()
  const saved = new Map<EngineName, Record<string, string>>(ENGINES.map((name) => [name, {}]))
  beforeAll(async () => {
    for (const name of ENGINES) engines.set(name, await start(name))
  })
  afterAll(() => Promise.all([...engines.values()].map((engine) => engine.close())))

  /** The answer of one engine; what the case keeps is kept for the next. */
  async function answered(name: EngineName, { request, compares, keep }: ContractCase): Promise<ContractAnswer> {
    const engine = engines.get(name)
    if (!engine) throw new Error(name)
    const values = { ...engine.saved, ...saved.get(name) }
    const answer = await answerOf(engine.url, typeof request === 'function' ? request(values) : request, compares)
    if (!keep || answer.data === null) return answer
    const found = keep(answer.data)
    saved.set(name, { ...saved.get(name), ...found })
    return { ...answer, data: placeholders(answer.data, found) }
  }

  test.each(cases)('Atrium keeps the contract, and Apollo does or is known not to: $what', async (each) => {
    const [atrium, apollo] = [await answered('atrium', each), await answered('apollo', each)]
    assertContract(each, atrium)
    const difference = DIFFERENCES.find(({ what }) => what === each.what)
    expect(apollo, difference?.why ?? 'a difference that DIFFERENCES does not list').toEqual({ ...atrium, ...difference?.apollo })
    if (!difference) return
    expect(apollo, 'DIFFERENCES lists a difference that does not exist').not.toEqual(atrium)
    rows.push({ what: each.what, ...shown(atrium, apollo), why: difference.why })
  })
})

function assertContract({ status = 200, codes = [], contentType = JSON_TYPE, data }: ContractCase, answer: ContractAnswer): void {
  expect([answer.status, answer.errors, answer.contentType]).toEqual([status, codes, contentType])
  if (data !== undefined) expect(answer.data).toEqual(data)
  else if (codes.length === 0) expect(answer.data).not.toBeNull()
}

/** Data with a fixed text in place of values that are random. */
const placeholders = (data: unknown, values: Readonly<Record<string, string>>): unknown =>
  JSON.parse(JSON.stringify(data), (_, value) => Object.entries(values).find(([, each]) => each === value)?.[0] ?? value)

/** What both answered, as far as it differs. */
function shown(atrium: ContractAnswer, apollo: ContractAnswer): { readonly atrium: string; readonly apollo: string } {
  const names = ['contentType', 'headers', 'data'] as const
  const differing = names.filter((name) => JSON.stringify(atrium[name]) !== JSON.stringify(apollo[name]))
  const text = (answer: ContractAnswer) =>
    [answer.status, ...new Set(answer.errors), ...differing.map((name) => JSON.stringify(answer[name])?.slice(0, 60))].join(' ')
  return { atrium: text(atrium), apollo: text(apollo) }
}

test('every difference belongs to one case, and all of them are printed with their reasons', () => {
  const cases = [...REQUEST_CASES, ...SYSTEM_CASES].map(({ what }) => what)
  expect(new Set(cases).size).toBe(cases.length)
  expect(DIFFERENCES.map(({ what }) => what).filter((what) => !cases.includes(what))).toEqual([])
  expect(new Set(DIFFERENCES.map(({ what }) => what)).size).toBe(DIFFERENCES.length)

  const lines = [
    ['request', 'Apollo', 'Atrium', 'why'],
    ...rows.map(({ what, apollo, atrium, why }) => [what, apollo, atrium, why]),
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const table = lines.map((line) => line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')).join('\n')
  console.log(`${cases.length} cases, ${rows.length} differences:\n${table}`)
})
