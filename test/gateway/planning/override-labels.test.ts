import { buildSubgraphSchema } from '@apollo/subgraph'
import { parse } from 'graphql'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { PlanCall } from '../../../gateway/hooks/hooks.ts'
import { createGateway } from '../../../gateway/library/create-gateway.ts'
import { type FindOverrideLabels, overrideLabelsIn } from '../../../gateway/planning/override-labels.ts'
import { ask, recordingLog, requestContext } from '../support/graph.ts'
import { gatewayOf, type Parts, supergraphOf, typeDefsOf } from '../support/parts.ts'
import { followed } from '../support/subscription-reader.ts'

type Ref = { readonly id: string }

/** A field that moves from `old` to `fresh` while its label is active; each says where it is from. */
const moving = (label: string): Parts => ({
  catalogue: {
    sdl: 'type Query { products: [Product!]! } type Product @key(fields: "id") { id: ID! name: String }',
    resolvers: { Query: { products: () => [{ id: '1' }, { id: '2' }] }, Product: { name: ({ id }: Ref) => `n${id}` } },
  },
  old: {
    sdl: 'type Product @key(fields: "id") { id: ID! price: String stock: Int }',
    resolvers: { Product: { price: () => 'old', stock: () => 1 } },
  },
  fresh: {
    sdl: `type Product @key(fields: "id") { id: ID! price: String @override(from: "old", label: "${label}") }`,
    resolvers: { Product: { price: () => 'fresh' } },
  },
})
const PRICES = '{ products { price } }'
const from = (subgraph: string) => ({ data: { products: [{ price: subgraph }, { price: subgraph }] } })

describe.each(['local', 'http'] as const)('%s', (where) => {
  test.each([
    { label: 'percent(0)', lookups: 'old' },
    { label: 'percent(100)', lookups: 'fresh' },
  ])('$label fetches from $lookups for every request', async ({ label, lookups }) => {
    const { gateway, fetches } = await gatewayOf(moving(label), where)
    for (let request = 0; request < 20; request++) expect(await ask(gateway, PRICES)).toEqual(from(lookups))
    expect(fetches.filter((name) => name === lookups)).toHaveLength(20)
    expect(new Set(fetches)).toEqual(new Set(['catalogue', lookups]))
  })

  test('percent(50) fetches from one subgraph or the other, and one request from one of them only', async () => {
    const { gateway, fetches } = await gatewayOf(moving('percent(50)'), where)
    const both = '{ a: products { price } b: products { price } }'
    for (let request = 0; request < 64; request++) {
      fetches.length = 0
      const { data } = await ask(gateway, both)
      expect(data?.a).toEqual(data?.b)
      expect(fetches.filter((name) => name === 'old' || name === 'fresh').length).toBeGreaterThan(0)
      expect(new Set(fetches).size).toBe(2)
    }
  })
})

test('a label of ones own is active where the hook names it for the caller', async () => {
  const isInternal = ({ caller }: { caller: { credentials: object } }) => 'authorization' in caller.credentials
  const overrideLabels = async (context: ReturnType<typeof requestContext>) => (isInternal(context) ? ['beta', 'unknown'] : [])
  const { gateway, fetches } = await gatewayOf(moving('beta'), 'local', { overrideLabels })
  const prepared = gateway.prepareText(PRICES, undefined)
  if (prepared.kind === 'rejected') throw new Error('Expected an operation.')
  const internal = { ...requestContext(), caller: { ...requestContext().caller, credentials: { authorization: 'Bearer x' } } }
  expect(await prepared.run({}, internal)).toEqual(from('fresh'))
  expect(await prepared.run({}, requestContext())).toEqual(from('old'))
  expect(fetches).toEqual(['catalogue', 'fresh', 'catalogue', 'old'])
})

test('answers of operations whose plan labels choose are not cached, and others are', async () => {
  const cached = `
    extend schema
      @link(url: "https://atrium.example/cacheControl/v1.0", import: ["@cacheControl"])
      @composeDirective(name: "@cacheControl")
    directive @cacheControl(maxAge: Int) on FIELD_DEFINITION | OBJECT
  `
  const { catalogue, ...others } = moving('beta')
  const sdl =
    'type Query { products: [Product!]! } type Product @key(fields: "id") @cacheControl(maxAge: 60) { id: ID! name: String }'
  const parts = { ...others, catalogue: { ...catalogue, sdl: `${cached}${sdl}` } }
  let isActive = true
  const options = { responseCacheBytes: 1_000_000, overrideLabels: () => (isActive ? ['beta'] : []) }
  const { gateway, fetches } = await gatewayOf(parts, 'local', options)
  const answerOf = async (query: string) => {
    const prepared = gateway.prepareText(query, undefined)
    if (prepared.kind === 'rejected') throw new Error('Expected an operation.')
    const answered = prepared.answer
      ? await prepared.answer({}, requestContext())
      : { result: await prepared.run({}, requestContext()) }
    return 'bytes' in answered ? JSON.parse(String((await answered.bytes.encoded(null)).bytes)) : answered.result
  }
  const named = { data: { products: [{ name: 'n1' }, { name: 'n2' }] } }
  expect([await answerOf('{ products { name } }'), await answerOf('{ products { name } }')]).toEqual([named, named])
  expect(fetches).toEqual(['catalogue'])
  expect(await answerOf(PRICES)).toEqual(from('fresh'))
  isActive = false
  expect(await answerOf(PRICES)).toEqual(from('old'))
})

test('a hook that throws is logged, and the field stays where it was', async () => {
  const overrideLabels = () => {
    throw new Error('flags are away')
  }
  const { gateway, lines } = await gatewayOf(moving('beta'), 'local', { overrideLabels })
  expect(await ask(gateway, PRICES)).toEqual(from('old'))
  expect(lines).toMatchObject([{ msg: 'the labels of @override could not be found' }])
})

test('an operation without the field calls no hook', async () => {
  const overrideLabels = () => expect.unreachable('no label may matter')
  const { gateway } = await gatewayOf(moving('beta'), 'local', { overrideLabels })
  expect(await ask(gateway, '{ products { name } }')).toEqual({ data: { products: [{ name: 'n1' }, { name: 'n2' }] } })
})

test('the package takes labels by caller', async () => {
  const parts = moving('beta')
  const lookups: unknown[] = []
  const gateway = await createGateway({
    supergraph: supergraphOf(parts),
    findOverrideLabels: (caller) => {
      lookups.push(caller.address)
      return ['beta']
    },
  })
  await gateway.execute({ query: PRICES }, { address: '10.0.0.1' })
  expect(lookups).toEqual(['10.0.0.1'])
  await gateway.close()
})

test('percent is a share of requests, and each label is chosen once per request', async () => {
  const sdl = parse(
    'type Query { a: Int @join__field(graph: A, overrideLabel: "percent(12.5)") b: Int @join__field(overrideLabel: "x") }',
  )
  let at = 0
  const random = () => (at++ % 1000) / 1000
  const labels = overrideLabelsIn(sdl, { find: () => ['x'], needed: new Set(), log: recordingLog().log, random })
  const relevant = labels?.labelsIn(parse('{ a }')) ?? []
  expect(relevant).toEqual(['percent(12.5)'])
  let active = 0
  for (let request = 0; request < 1000; request++) active += (await labels?.activeFor(relevant, requestContext()))?.size ?? 0
  expect(active).toBe(125)
  expect(await labels?.activeFor(labels.labelsIn(parse('{ a b }')), requestContext())).toEqual(new Set(['percent(12.5)', 'x']))
})

/** The moving field, selected in events of `catalogue` that the test emits. */
function movingWithEvents(label: string) {
  const { catalogue, ...others } = moving(label)
  const listeners = new Set<(event: Ref) => void>()
  async function* changes() {
    const events: Ref[] = []
    let wake = () => {}
    const listener = (event: Ref) => {
      events.push(event)
      wake()
    }
    listeners.add(listener)
    try {
      for (;;) {
        const event = events.shift()
        if (event) yield event
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    } finally {
      listeners.delete(listener)
    }
  }
  const sdl = `${catalogue?.sdl} type Subscription { changed: Product! }`
  const Subscription = { changed: { subscribe: changes, resolve: (event: Ref) => event } }
  const parts: Parts = { ...others, catalogue: { sdl, resolvers: { ...catalogue?.resolvers, Subscription } } }
  return { parts, emit: (event: Ref) => listeners.forEach((listener) => void listener(event)) }
}

const CHANGES = 'subscription { changed { price } }'
const changedFrom = (subgraph: string) => ({ data: { changed: { price: subgraph } } })

describe('a subscription', () => {
  async function started(overrideLabels: Parameters<typeof gatewayOf>[2] = {}, label = 'beta') {
    const { parts, emit } = movingWithEvents(label)
    const served = await gatewayOf(parts, 'local', overrideLabels)
    const follow = async (authorization?: string) => {
      const prepared = served.gateway.prepareText(CHANGES, undefined)
      if (prepared.kind === 'rejected' || !prepared.subscribe) throw new Error('Expected a subscription.')
      const { caller, signal } = requestContext()
      const credentials = authorization === undefined ? {} : { authorization }
      const opened = await prepared.subscribe({}, { caller: { ...caller, credentials }, signal })
      if (opened.kind === 'refused') throw new Error(JSON.stringify(opened.errors))
      const reader = followed(opened.source)
      onTestFinished(reader.return)
      return reader
    }
    return { ...served, emit, follow }
  }

  test.each([
    { label: 'percent(0)', subgraph: 'old' },
    { label: 'percent(100)', subgraph: 'fresh' },
  ])('reads from $subgraph for $label, at every event', async ({ label, subgraph }) => {
    const { emit, follow, fetches } = await started({}, label)
    const reader = await follow()
    for (const id of ['1', '2']) {
      emit({ id })
      expect(await reader.next()).toEqual(changedFrom(subgraph))
    }
    expect(fetches).toEqual([subgraph, subgraph])
  })

  test('has the labels of its own caller, and those that it began with until it ends', async () => {
    let isActive = true
    const overrideLabels: FindOverrideLabels = ({ caller }) => (isActive && caller.credentials.authorization ? ['beta'] : [])
    const { emit, follow } = await started({ overrideLabels })
    const [anonymous, internal] = [await follow(), await follow('Bearer x')]
    isActive = false
    const later = await follow('Bearer x')
    // Three plans of which two are equal, and no event of one plan reaches a subscriber of another.
    for (const id of ['1', '2']) {
      emit({ id })
      expect(await Promise.all([anonymous, internal, later].map((reader) => reader.next()))).toEqual(
        ['old', 'fresh', 'old'].map(changedFrom),
      )
    }
  })
})

test.each([
  { authorization: 'Bearer x', labels: ['beta'], subgraph: 'fresh' },
  { authorization: undefined, labels: [], subgraph: 'old' },
])('the plan hook of $labels sees the plan that is executed', async ({ authorization, labels, subgraph }) => {
  const { parts, emit } = movingWithEvents('beta')
  const plans: Pick<PlanCall, 'fetches' | 'labels'>[] = []
  let chosen = 0
  const gateway = await createGateway({
    supergraph: supergraphOf(parts),
    subgraphs: Object.fromEntries(
      Object.entries(parts).map(([name, part]) => [
        name,
        { schema: buildSubgraphSchema([{ typeDefs: typeDefsOf(part), resolvers: part.resolvers } as never]) },
      ]),
    ),
    findOverrideLabels: ({ credentials }) => (++chosen && credentials.authorization ? ['beta'] : []),
    hooks: { plan: (call) => void plans.push(call) },
  })
  onTestFinished(gateway.close)
  const credentials = authorization === undefined ? {} : { authorization }
  expect(await gateway.execute({ query: PRICES }, { credentials })).toEqual(from(subgraph))
  expect(plans.map((plan) => [plan.labels, plan.fetches.map((fetch) => fetch.subgraph)])).toEqual([
    [labels, ['catalogue', subgraph]],
  ])
  // Chosen once: the plan that the hook saw is the one that ran.
  expect(chosen).toBe(1)

  const prepared = gateway.gateway.prepareText(CHANGES, undefined)
  if (prepared.kind === 'rejected' || !prepared.subscribe) throw new Error('Expected a subscription.')
  const { caller, signal } = requestContext()
  const opened = await prepared.subscribe({}, { caller: { ...caller, credentials }, signal })
  if (opened.kind === 'refused') throw new Error(JSON.stringify(opened.errors))
  const reader = followed(opened.source)
  emit({ id: '1' })
  expect(await reader.next()).toEqual(changedFrom(subgraph))
  reader.return()
  expect(plans[1]).toMatchObject({ labels, fetches: [{ subgraph: 'catalogue' }, { subgraph }] })
})

test('a hook that hangs is waited for a bounded time, and its labels are inactive', async () => {
  const { log, lines } = recordingLog()
  const sdl = parse('type Query { b: Int @join__field(overrideLabel: "x") }')
  const labels = overrideLabelsIn(sdl, { find: () => new Promise(() => {}), needed: new Set(), log, hookTimeoutMs: 5 })
  expect(await labels?.activeFor(['x'], requestContext())).toEqual(new Set())
  expect(lines).toHaveLength(1)
})
