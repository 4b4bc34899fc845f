import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Running, startAtrium } from './cli/support/atrium.ts'
import { type FreshDatabase, freshDatabase } from './support/database.ts'

type Panel = { readonly title: string; readonly type: string; readonly targets?: readonly { readonly expr: string }[] }

const dashboard = JSON.parse(readFileSync(join(import.meta.dirname, '../docs/grafana.json'), 'utf8')) as {
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly query: string }[] }
}
const expressions = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...dashboard.templating.list.map(({ query }) => query),
]
const named = [...new Set(expressions.flatMap((expr) => expr.match(/\b(?:atrium|process|nodejs)_\w+/g) ?? []))].sort()

let database: FreshDatabase
let running: Running
const filesDir = mkdtempSync(join(tmpdir(), 'atrium-dashboard-'))
beforeAll(async () => {
  database = await freshDatabase({ hasStore: true })
  running = await startAtrium({ connection: database.connection, filesDir })
})
afterAll(async () => {
  await running?.stop()
  await database.drop()
  rmSync(filesDir, { recursive: true, force: true })
})

const metrics = async (): Promise<string> => (await fetch(`${running.url}/metrics`)).text()
/** The figure of a series. */
const figure = async (series: string): Promise<number> =>
  Number(
    (await metrics())
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length) ?? 0,
  )

test('a running server exports every series of the dashboard, with the labels that its panels sum by', async () => {
  await fetch(`${running.url}/graphql?query={__typename}`, { headers: { 'apollo-require-preflight': '1' } })
  await fetch(`${running.url}/api/mcp?limit=1`)
  const text = await metrics()
  // A histogram is described by its name, and told by its parts.
  const described = new Set(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram'
        ? [`${name}_bucket`, `${name}_count`, `${name}_sum`]
        : type === 'summary'
          ? [`${name}_sum`, `${name}_count`]
          : [name],
    ),
  )
  expect(named.length).toBeGreaterThan(15)
  expect(named.filter((name) => !described.has(name))).toEqual([])

  for (const expr of expressions) {
    const [, labels = ''] = /sum by \(([^)]*)\)/.exec(expr) ?? []
    const [name = ''] = /\batrium_\w+/.exec(expr) ?? []
    const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`))
    for (const label of labels.split(', ').filter((each) => each !== '' && each !== 'instance'))
      if (lines.length > 0) expect([expr, label, lines[0]]).toEqual([expr, label, expect.stringContaining(`${label}="`)])
  }
})

test.each([
  ['graphql', '2xx', '/graphql?query={__typename}'],
  ['rest', '2xx', '/api/mcp?limit=1'],
  ['rest', '4xx', '/v1/products.json'],
  ['mcp', '4xx', '/mcp/store'],
  ['mcp', '2xx', '/mcp/directory/server.json'],
  ['pages', '2xx', '/'],
  ['pages', '4xx', '/mcp/nobody/nothing'],
  ['pages', '4xx', '/no/such/thing'],
])('a request of class %s with status %s is counted in its series: %s', async (endpoint, status, path) => {
  const counter = `atrium_http_requests_total{door="${endpoint}",status="${status}"}`
  const timed = `atrium_http_request_duration_seconds_count{door="${endpoint}"}`
  const [before, timedBefore] = [await figure(counter), await figure(timed)]
  await (await fetch(`${running.url}${path}`, { headers: { 'apollo-require-preflight': '1' } })).text()
  await expect.poll(() => figure(counter)).toBe(before + 1)
  expect(await figure(timed)).toBe(timedBefore + 1)
})

test('what looks after the server is not counted', async () => {
  const total = async () => ((await metrics()).match(/^atrium_http_requests_total\{.*$/gm) ?? []).join()
  const before = await total()
  for (const path of ['/health', '/ready', '/metrics']) await (await fetch(`${running.url}${path}`)).text()
  expect(await total()).toBe(before)
})
