import { OperationTypeNode } from 'graphql'
import { expect, test } from 'vitest'
import { createHistory, sampleBetween } from '../../../gateway/observability/history.ts'
import { createMetrics } from '../../../gateway/observability/metrics.ts'

const look = async (metrics: ReturnType<typeof createMetrics>, seconds: number) => ({
  at: new Date(seconds * 1000),
  series: new Map((await metrics.values()).map((each) => [each.name, each])),
})

test('counters are shown per second between two samples, whatever their start value', async () => {
  const metrics = createMetrics()
  const count = metrics.operation('A', OperationTypeNode.QUERY)
  for (let n = 0; n < 7; n += 1) count({ data: {} }, 0.3)
  metrics.planCacheLookup(false)
  const before = await look(metrics, 0)
  for (let n = 0; n < 18; n += 1) count({ data: {} }, 0.004)
  count({ data: null, errors: [{ message: '' }] }, 0.2)
  count({ data: {}, errors: [{ message: '' }] }, 0.2)
  count({ errors: [{ message: '' }] }, 0)
  for (let n = 0; n < 3; n += 1) metrics.planCacheLookup(true)
  metrics.planCacheLookup(false)
  const sample = sampleBetween(before, await look(metrics, 10))
  expect(sample.operationsPerSecond).toBeCloseTo(2.1)
  expect(sample.failuresPerSecond).toBeCloseTo(0.2)
  expect(sample.planCacheHits).toBe(0.75)
  expect(sample.answerCacheHits).toBeNull()
  // 0.004 lies between the bounds 0.0025 and 0.005, 0.2 between 0.1 and 0.25: 18 and 2 of 20.
  expect(sample.medianSeconds).toBeCloseTo(0.0025 + 0.0025 * (10 / 18))
  expect(sample.slowSeconds).toBeCloseTo(0.1 + 0.15 * 0.5)
})

test('each subgraph has its own figures', async () => {
  const metrics = createMetrics()
  const requestContext = { caller: { requestId: '', address: '', credentials: {} }, signal: new AbortController().signal }
  const links = ['one', 'two'].map((name) =>
    metrics.measureLink({
      name,
      execute: async () => ({ data: {}, ...(name === 'two' && { errors: [{ message: '' }] }) }),
    } as never),
  )
  const before = await look(metrics, 0)
  for (const [index, link] of links.entries())
    for (let n = 0; n <= index; n += 1) await link.execute({} as never, requestContext as never)
  const { subgraphs } = sampleBetween(before, await look(metrics, 1))
  expect(subgraphs).toMatchObject([
    { name: 'one', fetchesPerSecond: 1, failuresPerSecond: 0, medianSeconds: expect.any(Number) },
    { name: 'two', fetchesPerSecond: 2, failuresPerSecond: 2 },
  ])
})

test('a quarter of an hour is kept, and looking ends with the process', async () => {
  const metrics = createMetrics()
  let looks = 0
  const rateLimits = {
    values: () => {
      looks += 1
      return metrics.values()
    },
  }
  const history = createHistory(rateLimits, { intervalMs: 1 })
  while (looks < 200) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(history.samples().length).toBeLessThanOrEqual(180)
  expect(history.samples().length).toBeGreaterThan(100)
  await history.close()
  const ended = looks
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(looks).toBe(ended)
})
