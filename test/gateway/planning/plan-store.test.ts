import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type DocumentNode, introspectionFromSchema, Kind, parse, printSchema, visit } from 'graphql'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import * as operations from '../../../.generated/operations.ts'
import * as storeOperations from '../../../.generated/rest-facade/store.ts'
import { builtInSupergraph } from '../../../composition/built-in-supergraph.ts'
import { startGateway } from '../../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import { createPlanStore, type PlanStore } from '../../../gateway/planning/plan-store.ts'
import { readSupergraph, type Supergraph } from '../../../gateway/planning/supergraph.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { CALLER, recordingLog, reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'

const SDL = supergraphSdl()
const BUILT_IN = builtInSupergraph().supergraphSdl
const OWN = parse('query Own($id: ID!) { product(id: $id) { name reviews { text } } }', {
  noLocation: true,
}) as TypedDocumentNode<Record<string, unknown>, { id: string }>

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atrium-plans-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const gatewayWith = (plans: PlanStore) =>
  startGateway({
    supergraphSdl: SDL,
    links: [shopSubgraph(), reviewSubgraph()].map(createLocalLink),
    limits: DEFAULT_LIMITS,
    log: recordingLog().log,
    plans,
  })

/** What a gateway answers to our operation that has just been prepared. */
async function answerWith(plans: PlanStore) {
  const gateway = await gatewayWith(plans)
  await gateway.client.prepare(OWN)
  const answer = await gateway.client.run(OWN, { id: 'b' }, CALLER, new AbortController().signal)
  await gateway.close()
  return answer
}

const written = (count = 1) => expect.poll(() => Object.keys(textIn(folder)).length).toBe(count)

function textIn(from: string): Record<string, unknown> {
  const [name] = readdirSync(from).filter((each) => each.endsWith('.json'))
  return name === undefined ? {} : JSON.parse(readFileSync(join(from, name), 'utf8'))
}

test('a plan stored by an earlier start is run, with the same result', async () => {
  const before = await answerWith(createPlanStore(folder, SDL))
  expect(before).toMatchObject({ data: { product: { name: 'Product b' } }, errors: [] })
  await written()

  const stored = createPlanStore(folder, SDL)
  expect(stored.isEmpty).toBe(false)
  expect(await answerWith(stored)).toEqual(before)

  // It is the kept one that is run: another in its place says something else.
  const [name = ''] = readdirSync(folder)
  const text = readFileSync(join(folder, name), 'utf8')
  expect(text).toContain('{__typename id name}')
  writeFileSync(join(folder, name), text.replace('{__typename id name}', '{__typename id name:id}'))
  expect((await answerWith(createPlanStore(folder, SDL))).data).toMatchObject({ product: { name: 'b' } })
})

test('documents of clients are planned by a planner that is made when it is needed', async () => {
  await answerWith(createPlanStore(folder, SDL))
  await written()
  const gateway = await gatewayWith(createPlanStore(folder, SDL))
  const prepared = gateway.prepareText('{ products(first: 1) { edges { node { id rating } } } }', undefined)
  if (prepared.kind !== 'executable') throw new Error('Expected it to be admitted.')
  const requestContext = { caller: CALLER, signal: new AbortController().signal }
  expect(await prepared.run({}, requestContext)).toEqual({ data: { products: { edges: [{ node: { id: 'a', rating: 4.5 } }] } } })
  await gateway.close()
})

test('a gateway that is closed makes no planner in advance', async () => {
  await answerWith(createPlanStore(folder, SDL))
  await written()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const gateway = await gatewayWith(createPlanStore(folder, SDL))
    const before = vi.getTimerCount()
    await gateway.close()
    expect([before, vi.getTimerCount()]).toEqual([1, 0])

    // Between the model and the planner.
    const later = await gatewayWith(createPlanStore(folder, SDL))
    vi.advanceTimersByTime(5_000)
    const between = vi.getTimerCount()
    await later.close()
    expect([between, vi.getTimerCount()]).toEqual([1, 0])
  } finally {
    vi.useRealTimers()
  }
})

test('a plan counts for its own document and graph only', async () => {
  await answerWith(createPlanStore(folder, SDL))
  await written()
  expect(createPlanStore(folder, SDL).find(OWN)).toMatchObject({ plan: { kind: 'QueryPlan' }, isDirect: null })
  expect(createPlanStore(folder, SDL).find(renamed(OWN))).toBeNull()
  expect(createPlanStore(folder, `${SDL}\n# another`).find(OWN)).toBeNull()

  const gateway = await gatewayWith(createPlanStore(folder, SDL))
  const wrong = parse('query Own { nothing }') as typeof OWN
  await expect(gateway.client.prepare(wrong)).rejects.toThrow('Cannot query field "nothing"')
  await gateway.close()
})

const renamed = (document: DocumentNode): DocumentNode =>
  visit(document, { Name: (node) => (node.value === 'Own' ? { kind: Kind.NAME, value: 'Other' } : undefined) })

test('what one subgraph in this process answers is known to be', async () => {
  const direct = parse('{ product(id: "a") { name } }', { noLocation: true }) as TypedDocumentNode<object, Record<string, never>>
  const runs = async () => {
    const gateway = await gatewayWith(createPlanStore(folder, SDL))
    await gateway.client.prepare(direct)
    const answer = await gateway.client.run(direct, {}, CALLER, new AbortController().signal)
    await gateway.close()
    return answer
  }
  const before = await runs()
  await written()
  expect(createPlanStore(folder, SDL).find(direct)).toMatchObject({ isDirect: true })
  expect(await runs()).toEqual(before)
})

test('starts at the same time keep the plans of all of them', async () => {
  const plan = readSupergraph(parse(SDL)).plan(OWN)
  const [one, other] = [createPlanStore(folder, SDL), createPlanStore(folder, SDL)]
  one.add(OWN, { plan, isDirect: null })
  other.add(renamed(OWN), { plan, isDirect: null })
  await written(2)
  expect(one.find(OWN)).toBeNull()
  expect(createPlanStore(folder, SDL).find(OWN)).toEqual({ plan: JSON.parse(JSON.stringify(plan)), isDirect: null })
  expect(createPlanStore(folder, SDL).find(renamed(OWN))).not.toBeNull()
})

test('what cannot be read is made anew, and a folder that cannot be written to stops nothing', async () => {
  createPlanStore(folder, SDL).add(OWN, { plan: readSupergraph(parse(SDL)).plan(OWN), isDirect: null })
  await written()
  const [name = ''] = readdirSync(folder)
  writeFileSync(join(folder, name), 'null')
  expect((await answerWith(createPlanStore(folder, SDL))).errors).toEqual([])
  writeFileSync(join(folder, name), '{"half')
  const answer = await answerWith(createPlanStore(folder, SDL))
  expect(answer.errors).toEqual([])
  await expect.poll(() => createPlanStore(folder, SDL).find(OWN)).not.toBeNull()

  const file = join(folder, name)
  const nowhere = createPlanStore(join(file, 'below-a-file'), SDL)
  expect(await answerWith(nowhere)).toEqual(answer)
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(readdirSync(folder)).toEqual([name])
})

test('plans of eight graphs are kept, those that were written last', async () => {
  const plan = readSupergraph(parse(SDL)).plan(OWN)
  for (let index = 0; index < 10; index++) {
    createPlanStore(folder, `${SDL}\n# ${index}`).add(OWN, { plan, isDirect: null })
    await expect.poll(() => createPlanStore(folder, `${SDL}\n# ${index}`).isEmpty).toBe(false)
  }
  expect(readdirSync(folder)).toHaveLength(8)
  expect(createPlanStore(folder, `${SDL}\n# 0`).isEmpty).toBe(true)
  expect(createPlanStore(folder, `${SDL}\n# 9`).isEmpty).toBe(false)
})

test('the plan of every operation of ours is the same when it was written and read', () => {
  const { plan } = readSupergraph(parse(builtInSupergraph().supergraphSdl))
  const documents = Object.values<unknown>({ ...operations, ...storeOperations }).filter(
    (each): each is DocumentNode => typeof each === 'object' && each !== null && 'definitions' in each,
  )
  expect(documents.length).toBeGreaterThan(300)
  for (const document of documents) {
    if (!document.definitions.some(({ kind }) => kind === Kind.OPERATION_DEFINITION)) continue
    const made = plan(document)
    expect(made).toEqual(JSON.parse(JSON.stringify(made)))
  }
})

test('a stored schema is the schema that the model makes, and says the same of it', () => {
  const fresh = readSupergraph(parse(BUILT_IN))
  const store = createPlanStore(folder, BUILT_IN)
  expect(store.schema()).toBeNull()
  const stored = JSON.parse(JSON.stringify(fresh.schemaToStore()))
  const known = readSupergraph(parse(BUILT_IN), { isKnown: true, stored })
  known.close()
  expect(introspectionFromSchema(known.api)).toEqual(introspectionFromSchema(fresh.api))
  expect(printSchema(known.api)).toBe(printSchema(fresh.api))
  const facts = ({ subgraphs, hasInaccessibleElements, queriesWithSideEffects }: Supergraph) => ({
    subgraphs,
    hasInaccessibleElements,
    queriesWithSideEffects,
  })
  expect(facts(known)).toEqual(facts(fresh))
  expect(known.queriesWithSideEffects.size).toBeGreaterThan(0)
  const types = Object.keys(known.api.getTypeMap())
  const wrong = types.flatMap((one) => types.filter((other) => known.isOf(one, other) !== fresh.isOf(one, other)))
  expect(wrong).toEqual([])
  expect(known.isOf('ConflictError', 'CreateOrderPayload')).toBe(true)
})

test('a schema that is not as it was stored counts as none', async () => {
  const stored = readSupergraph(parse(SDL)).schemaToStore()
  createPlanStore(folder, SDL).addSchema(() => stored)
  await expect.poll(() => createPlanStore(folder, SDL).schema()).toEqual(stored)
  const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.schema'))
  const file = join(folder, name)
  const text = readFileSync(file, 'utf8')
  const api = JSON.stringify({ ...stored, api: `${stored.api} type Added { x: Int }` })
  for (const broken of ['', '{}', '[]', text.slice(0, -10), JSON.stringify(stored), text.replace(/\n.*/s, `\n${api}`)]) {
    writeFileSync(file, broken)
    expect(createPlanStore(folder, SDL).schema()).toBeNull()
  }
  writeFileSync(file, text)
  expect(createPlanStore(folder, SDL).schema()).toEqual(stored)
})

test('the schema is stored by the first start, and read by the next', async () => {
  const make = vi.fn(() => readSupergraph(parse(SDL)).schemaToStore())
  createPlanStore(folder, SDL).addSchema(make)
  await expect.poll(() => createPlanStore(folder, SDL).schema()).toEqual(make())
  expect(createPlanStore(folder, `${SDL}\n# another`).schema()).toBeNull()
  expect(createPlanStore(folder, SDL).isEmpty).toBe(true)
})
