import { expect, test } from 'vitest'
import { hotSwappableGateway } from '../../../gateway/planning/hot-swap.ts'
import type { SupergraphVersion } from '../../../gateway/planning/routed-operation.ts'
import { recordingLog, requestContext } from '../support/graph.ts'
import { followed } from '../support/subscription-reader.ts'
import { startTicker } from '../support/ticker.ts'

/** A gateway whose served graph and candidate have sources of their own. */
async function twoTickers() {
  const { log } = recordingLog()
  const [served, candidate] = [await startTicker(), await startTicker()]
  const released: string[] = []
  const graphOf = (name: string, { gateway }: typeof served) => ({ gateway, release: async () => void released.push(name) })
  const gateway = hotSwappableGateway(graphOf('served', served), log)
  let version: SupergraphVersion = 'served'
  const ended: [SupergraphVersion, unknown][] = []
  const begin = () =>
    gateway.routeToCandidate({
      graph: graphOf('candidate', candidate),
      route: {
        readsHeaders: false,
        versionFor: () => version,
        began: (version) => (errors) => void ended.push([version, errors]),
      },
    })
  let swaps = 0
  gateway.onSwap(() => void swaps++)
  const subscribe = async () => {
    const prepared = gateway.prepareText('subscription { ticked { text } }', undefined)
    if (prepared.kind === 'rejected' || !prepared.subscribe) throw new Error('Expected a subscription.')
    const opened = await prepared.subscribe({}, requestContext())
    if (opened.kind === 'refused') throw new Error(JSON.stringify(opened.errors))
    return followed(opened.source)
  }
  return {
    served,
    candidate,
    gateway,
    begin,
    subscribe,
    released,
    ended,
    swaps: () => swaps,
    route: (next: SupergraphVersion) => {
      version = next
    },
  }
}
const event = (text: string) => ({ data: { ticked: { text } } })

test('a subscription stays on the supergraph that it began with, and holds it until it ends', async () => {
  const { served, candidate, gateway, begin, subscribe, released, route, swaps } = await twoTickers()
  const before = await subscribe()
  begin()
  const ofServed = await subscribe()
  route('candidate')
  const ofCandidate = await subscribe()
  const readers = [before, ofServed, ofCandidate]
  const tick = async (text: string) => {
    served.tick(`${text} of served`)
    candidate.tick(`${text} of candidate`)
    return Promise.all(readers.map((reader) => reader.next()))
  }
  const each = (text: string) => ['served', 'served', 'candidate'].map((name) => event(`${text} of ${name}`))
  expect(await tick('first')).toEqual(each('first'))
  route('served')
  expect(await tick('second')).toEqual(each('second'))
  expect([gateway.subscriptions(), swaps()]).toEqual([3, 0])
  // Transports end subscriptions of a retired graph as they do after a hot swap.
  gateway.routeToCandidate(null)
  expect([swaps(), released]).toEqual([1, []])
  expect(await tick('third')).toEqual(each('third'))
  ofCandidate.return()
  await new Promise(setImmediate)
  expect(released).toEqual(['candidate'])
  for (const reader of readers) reader.return()
  await gateway.close()
})

test("after a promotion a subscription of the former supergraph goes on until it ends, and new ones are the candidate's", async () => {
  const { served, candidate, gateway, begin, subscribe, released, swaps } = await twoTickers()
  begin()
  const former = await subscribe()
  gateway.promoteCandidate()
  expect(swaps()).toBe(1)
  const next = await subscribe()
  served.tick('a')
  candidate.tick('b')
  expect(await Promise.all([former.next(), next.next()])).toEqual([event('a'), event('b')])
  expect(released).toEqual([])
  former.return()
  await new Promise(setImmediate)
  expect(released).toEqual(['served'])
  next.return()
  await gateway.close()
})

test('an operation that was prepared before a rollback runs on the served supergraph after it', async () => {
  const { candidate, gateway, begin, route, ended } = await twoTickers()
  begin()
  route('candidate')
  const prepared = gateway.prepareText('{ now }', undefined)
  if (prepared.kind === 'rejected') throw new Error('Expected a query.')
  candidate.tick('x')
  expect(await prepared.run({}, requestContext())).toEqual({ data: { now: 1 } })
  gateway.routeToCandidate(null)
  expect(await prepared.run({}, requestContext())).toEqual({ data: { now: 0 } })
  expect(ended).toEqual([
    ['candidate', undefined],
    ['served', undefined],
  ])
  await gateway.close()
})

test('without a candidate an operation is the prepared one itself', async () => {
  const { gateway, begin } = await twoTickers()
  const prepare = () => gateway.prepareText('{ now }', undefined)
  const plain = prepare()
  expect(prepare()).toBe(plain)
  begin()
  expect(prepare()).not.toBe(plain)
  gateway.routeToCandidate(null)
  expect(prepare()).toBe(plain)
  await gateway.close()
})
