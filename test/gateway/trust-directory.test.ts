import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../gateway/gateway.ts'
import { createLocalLink } from '../../gateway/subgraph-client/local-subgraph.ts'
import type { Subgraph } from '../../platform/graphql/subgraph.ts'
import { createHttpServer } from '../../platform/http/server.ts'
import { directorySubgraph } from '../../subgraphs/directory/subgraph.ts'
import { socialSubgraph } from '../../subgraphs/social/subgraph.ts'
import { storeSubgraph } from '../../subgraphs/store/subgraph.ts'
import {
  ANONYMOUS,
  aBadHost,
  aGoodHost,
  type Data,
  snapshotAbout,
  startTrust,
  type Trust,
} from '../subgraphs/trust/support/trust.ts'
import { temporaryFiles } from '../support/files.ts'
import { aPlugin, aServer, aSkill, putItems } from '../support/items.ts'

const log = pino({ level: 'silent' })
const NOW = Math.floor(Date.now() / 1000)

let trust: Trust
let others: Subgraph[]
let gateway: Gateway
beforeAll(async () => {
  trust = await startTrust()
  const { connection } = trust.database
  await putItems(connection, [
    aServer('acme/tools', { detail: { repoUrl: 'https://good.example.com/acme/tools' } }),
    aServer('acme/remote', { detail: { repoUrl: null, docsUrl: 'https://bad.example.net/docs' } }),
    aPlugin('market/helper', { detail: { sourceUrl: 'https://good.example.com/helper' } }),
    aSkill('pdf', { detail: { repoUrl: 'https://new.example.org/pdf' } }),
  ])
  others = [
    await directorySubgraph({ connection, publicUrl: 'https://atrium.example', log }),
    await socialSubgraph({ connection, log }),
    await storeSubgraph({ connection, publicUrl: 'https://atrium.example', files: await temporaryFiles(), log }),
  ]
  gateway = await startGateway({
    supergraphSdl: readFileSync(join(import.meta.dirname, '../../schema/supergraph.graphql'), 'utf8'),
    links: [...others, trust.subgraph].map(createLocalLink),
    limits: { depth: 10, cost: 1000 },
    log,
  })
  for (const [host, expected] of [
    ['good.example.com', aGoodHost(NOW)],
    ['bad.example.net', aBadHost(NOW)],
  ] as const) {
    const snapshot = snapshotAbout(host, NOW, expected)
    await trust.sql('INSERT INTO snapshot VALUES ($1, $2, $3, to_timestamp($4), to_timestamp($4 + 86400))', [
      snapshot.id,
      host,
      JSON.stringify(snapshot),
      NOW,
    ])
  }
})
afterAll(async () => {
  await gateway.close()
  for (const each of others) await each.close()
  await trust.close()
})

async function ask(query: string): Promise<Data> {
  const prepared = gateway.prepareText(query, undefined)
  if (prepared.kind === 'rejected') throw new Error(JSON.stringify(prepared.errors))
  const { data, errors } = JSON.parse(
    JSON.stringify(await prepared.run({}, { caller: ANONYMOUS, signal: new AbortController().signal })),
  )
  expect(errors).toBeUndefined()
  return data
}

const TRUST = 'trust { target { normalized } action uncertainty { level } }'

test('items show the stored decision about the host of their source, without a key', async () => {
  const { mcpServers, plugin }: Data = await ask(
    `{ mcpServers { edges { node { repo ${TRUST} } } } plugin(marketplaceSlug: "market", slug: "helper") { name ${TRUST} } }`,
  )
  const servers = Object.fromEntries(mcpServers.edges.map(({ node }: Data) => [node.repo, node.trust]))
  expect(servers).toEqual({
    tools: { target: { normalized: 'good.example.com' }, action: 'PROCEED', uncertainty: { level: 'LOW' } },
    // Without a repository, where it is documented counts.
    remote: { target: { normalized: 'bad.example.net' }, action: 'DENY', uncertainty: expect.anything() },
  })
  expect(plugin.trust.action).toBe('PROCEED')
  expect(await trust.sql('SELECT 1 FROM decision')).toEqual([])
})

test('an unknown host is highly uncertain at once, and looked up in the background', async () => {
  const { skill, search }: Data = await ask(
    `{ skill(slug: "pdf") { ${TRUST} } search(query: "pdf") { edges { node { ... on Skill { ${TRUST} } } } } }`,
  )
  expect(skill.trust).toEqual({ target: { normalized: 'new.example.org' }, action: 'SANDBOX', uncertainty: { level: 'HIGH' } })
  expect(search.edges[0].node.trust).toEqual(skill.trust)
  expect(trust.sources.requestedHosts.filter((host) => host === 'new.example.org').length).toBeGreaterThan(0)
  expect(trust.sources.requestedHosts).not.toContain('good.example.com')
})

test('/ready names sources that are down, and stays ready', async () => {
  const { ready } = trust.subgraph
  const app = createHttpServer({ log, checks: [{ name: 'trust', check: ready }] })
  expect((await app.inject('/ready')).json()).toEqual({ status: 'ready', checks: { trust: 'ok' } })
  trust.sources.down.push('dns', 'tranco')
  const degraded = await app.inject('/ready')
  expect([degraded.statusCode, degraded.json()]).toEqual([
    200,
    { status: 'ready', checks: { trust: 'degraded' }, without: { trust: ['dns', 'tranco'] } },
  ])
  await app.close()
})

test('the largest possible answer, alone and in a batch, stays within the limits', async () => {
  const said = `assessment { target { type value normalized unicode } interaction { kind mode sensitivity } policy { profile version } state
    scores { trust { score confidence } threat { score confidence } deviation { score confidence } } action confidence reasonCodes primaryReasonCodes
    uncertainty { level requiresHumanReview drivers } evidence { highlights { code label impact strength } highlightsTruncated sourceCount }
    validity { evaluatedAt validUntil ttlSeconds } override { engineAction reason expiresAt } }`
  const usage = 'usage { plan limit used remaining periodStart resetsAt secondsUntilReset }'
  const result = `... on DecisionMade { decision { id decidedAt ${said} } ${usage} } ... on InvalidTarget { message faults { field code message } }
    ... on QuotaExceeded { message }`
  for (const query of [
    `{ decide(input: { domain: "example.com" }) { ${result} } }`,
    `{ decideBatch(inputs: [{ domain: "example.com" }]) { results { ${result} } ${usage} } }`,
    `{ decision(id: "x") { ${said} audit { snapshot { sources { source status reason subject collectedAt validUntil version facts } }
      points { signal trust threat deviation detail } floors { rule action } clamps } replay { identical changes { pointer before after } } } }`,
    `{ mcpServers(first: 50) { edges { node { title ${TRUST} } } } }`,
  ]) {
    // Counted when it runs: what is refused has no plan.
    const prepared = gateway.prepareText(query, undefined)
    expect(prepared.kind).toBe('executable')
    if (prepared.kind === 'executable') {
      const { errors } = await prepared.run({}, { caller: ANONYMOUS, signal: new AbortController().signal })
      expect(errors?.[0]?.extensions?.code).not.toBe('COST_LIMIT_EXCEEDED')
    }
  }
})
