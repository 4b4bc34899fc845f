import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { gatewayOptionsShape } from '../../gateway/options/gateway-options.ts'
import { sourcesOf } from '../../scripts/reference/markdown.ts'
import { definedMetrics } from '../../scripts/reference/metrics.ts'
import { gatewayOptions } from '../../scripts/reference/options.ts'
import { referencePages } from '../../scripts/reference/pages.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const pages = await referencePages()

test.each([...pages])('%s is what the code says: npm run generate writes it', (file, text) => {
  expect(read(file)).toBe(text)
})

test('every series that code names is in the reference', () => {
  const sources = sourcesOf('gateway', 'platform', 'composition', 'subgraphs')
  const named = new Set(sources.flatMap(({ text }) => [...text.matchAll(/'(atrium_\w+)'/g)].map(([, name = '']) => name)))
  expect(named.size).toBeGreaterThan(25)
  expect([...named].sort()).toEqual(definedMetrics().map(({ name }) => name))
})

test('every option of the gateway is in the reference, with what it means or permits', () => {
  const options = gatewayOptions()
  expect([...new Set(options.map(({ path }) => /^\w+/.exec(path)?.[0]))]).toEqual([
    'supergraph',
    ...Object.keys(gatewayOptionsShape),
  ])
  expect(options.filter(({ values, meaning }) => values === '' && meaning === '').map(({ path }) => path)).toEqual([])
  expect(options).toContainEqual({
    path: 'subgraphs.NAME.retries.budget.minimumPerSecond',
    values: '0–10,000',
    fallback: '10',
    meaning: 'Retries per second that are always allowed.',
  })
})

describe('alerts', () => {
  const { groups } = parse(read('docs/prometheus-alerts.yaml')) as {
    readonly groups: readonly {
      readonly rules: readonly {
        readonly alert: string
        readonly expr: string
        readonly annotations: { readonly runbook: string }
      }[]
    }[]
  }
  const rules = groups.flatMap((group) => group.rules)
  const runbooks = read('docs/operations/runbooks.md')

  test('each has a runbook, and each runbook an alert, in the same order', () => {
    const headings = [...runbooks.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
    expect(rules.map(({ alert }) => alert)).toEqual(headings)
    for (const { alert, annotations } of rules) expect(annotations.runbook).toBe(`operations/runbooks.md#${alert.toLowerCase()}`)
  })

  test.each(rules)('$alert reads series and labels that there are', ({ expr }) => {
    const known = new Map(definedMetrics().map(({ name, labels }) => [name, labels]))
    const names = expr.match(/\batrium_\w+/g) ?? []
    for (const name of names) expect([...known.keys()]).toContain(name.replace(/_bucket$/, ''))
    const labels = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '))
    const ofSeries = names.flatMap((name) => known.get(name.replace(/_bucket$/, '')) ?? [])
    // `le` is the bound of a bucket; Prometheus adds `instance` and `job`.
    if (names.length > 0) expect([...ofSeries, 'le', 'instance', 'job']).toEqual(expect.arrayContaining(labels))
  })

  test.each(runbooks.split(/^## /m).slice(1))('a runbook says what it means, how to see it and what to do: %s', (section) => {
    expect(section.match(/\*\*(Meaning|See|Do)\.\*\*/g)).toEqual(['**Meaning.**', '**See.**', '**Do.**'])
  })
})
