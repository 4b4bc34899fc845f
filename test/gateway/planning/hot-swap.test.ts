import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import type { PreparedOperation } from '../../../gateway/operations/prepared-operation.ts'
import { hotSwappableGateway } from '../../../gateway/planning/hot-swap.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { ask, recordingLog, requestContext } from '../support/graph.ts'
import { startTicker, type Ticker } from '../support/ticker.ts'

const { log } = recordingLog()
const NOW = '{ now }'

async function twoGraphs() {
  const first = await startTicker()
  const { supergraphSdl, subgraphs } = first
  const second: Gateway = await startGateway({
    supergraphSdl,
    links: subgraphs.map(createLocalLink),
    limits: DEFAULT_LIMITS,
    log,
  })
  const released: string[] = []
  const release = (name: string) => async () => void released.push(name)
  const gateway = hotSwappableGateway({ gateway: first.gateway, release: release('first') }, log)
  return { ticker: first, gateway, swap: () => gateway.swap({ gateway: second, release: release('second') }), released }
}
const resultOf = (prepared: PreparedOperation) => {
  if (prepared.kind === 'rejected') throw new Error(JSON.stringify(prepared.errors))
  return prepared
}
const listening = async ({ listening }: Ticker, count: number) => {
  while (listening() !== count) await new Promise(setImmediate)
}

test('a graph is released once, after the last of its operations', async () => {
  const { gateway, swap, released } = await twoGraphs()
  const running = [ask(gateway, '{ later(milliseconds: 20) }'), ask(gateway, '{ later(milliseconds: 600) }')]
  swap()
  await running[0]
  expect(released).toEqual([])
  await running[1]
  await gateway.close()
  expect(released).toEqual(['first', 'second'])
})

test('an operation prepared by a transport holds its graph as well; persisted documents must be registered anew after a swap', async () => {
  const { gateway, swap, released } = await twoGraphs()
  const request = { hash: null, documentId: null, operationName: undefined, variables: {}, wantsCost: false }
  const text = '{ later(milliseconds: 20) }'
  const hash = createHash('sha256').update(text).digest('hex')
  expect(gateway.prepare({ ...request, text, hash }).kind).toBe('executable')
  const running = resultOf(gateway.prepare({ ...request, text: '', hash })).run({}, requestContext())
  swap()
  await new Promise(setImmediate)
  expect(released).toEqual([])
  expect(await running).toEqual({ data: { later: 0 } })
  await new Promise(setImmediate)
  expect(released).toEqual(['first'])
  expect(gateway.prepare({ ...request, text: '', hash })).toMatchObject({
    kind: 'rejected',
    errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
  })
})

test('one on which nothing runs is released at once', async () => {
  const { gateway, swap, released } = await twoGraphs()
  await ask(gateway, NOW)
  swap()
  await new Promise(setImmediate)
  expect(released).toEqual(['first'])
})

test('a subscription holds its graph until it ends', async () => {
  const { ticker, gateway, swap, released } = await twoGraphs()
  const begun = await resultOf(gateway.prepareText('subscription { ticked { number } }', undefined)).subscribe?.(
    {},
    requestContext(),
  )
  if (begun?.kind !== 'open') throw new Error('Expected it to begin.')
  await listening(ticker, 1)
  swap()
  expect([gateway.subscriptions(), released]).toEqual([1, []])
  begun.source.return()
  begun.source.return()
  await new Promise(setImmediate)
  expect([gateway.subscriptions(), released, ticker.listening()]).toEqual([0, ['first'], 0])
})

test('what was admitted before and begins after its graph is released begins on the new one', async () => {
  const { ticker, gateway, swap, released } = await twoGraphs()
  const query = resultOf(gateway.prepareText(NOW, undefined))
  const subscription = resultOf(gateway.prepareText('subscription { ticked { number } }', undefined))
  swap()
  await new Promise(setImmediate)
  expect(released).toEqual(['first'])
  expect(await query.run({}, requestContext())).toEqual({ data: { now: 0 } })
  const begun = await subscription.subscribe?.({}, requestContext())
  expect(begun?.kind).toBe('open')
  await listening(ticker, 1)
  if (begun?.kind === 'open') begun.source.return()
})

test('listeners are notified after a swap', async () => {
  const { gateway, swap } = await twoGraphs()
  const before = gateway.schema
  let received: unknown = null
  gateway.onSwap(() => {
    received = gateway.schema
  })
  swap()
  expect(received).toBe(gateway.schema)
  expect(received).not.toBe(before)
})
