import pg from 'pg'
import { builtInSupergraph } from '../../../composition/built-in-supergraph.ts'
import { createExternalClient } from '../../../gateway/client.ts'
import { serveExplorer } from '../../../gateway/explorer/serve.ts'
import { startGateway } from '../../../gateway/gateway.ts'
import { createHistory } from '../../../gateway/observability/history.ts'
import { createMetrics } from '../../../gateway/observability/metrics.ts'
import { serveMetrics } from '../../../gateway/observability/metrics-endpoint.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { streamOperations } from '../../../gateway/transports/event-stream.ts'
import { serveGraphql } from '../../../gateway/transports/http.ts'
import { serveWebSockets } from '../../../gateway/transports/websocket.ts'
import { serveMcpServers } from '../../../mcp/servers.ts'
import type { Connection } from '../../../platform/database/database.ts'
import { freePort } from '../../../platform/http/listen.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import type { MailServer } from '../../../platform/mail/variables.ts'
import { localRateLimitStore } from '../../../platform/rate-limit/rate-limit-store.ts'
import { serveDirectoryApi } from '../../../rest-facade/directory/serve.ts'
import { serveSocialApi } from '../../../rest-facade/social/serve.ts'
import { memoryRateLimit } from '../../../rest-facade/store/caller/rate-limit.ts'
import { resources } from '../../../rest-facade/store/resources.ts'
import { serveStoreApi } from '../../../rest-facade/store/serve.ts'
import { serveTrustApi } from '../../../rest-facade/trust/serve.ts'
import { directorySubgraph } from '../../../subgraphs/directory/subgraph.ts'
import { socialSubgraph } from '../../../subgraphs/social/subgraph.ts'
import { serveFiles } from '../../../subgraphs/store/file/serve.ts'
import { storeSubgraph } from '../../../subgraphs/store/subgraph.ts'
import { encodeId } from '../../../subgraphs/toolkit/ids.ts'
import { publishedKeys, remoteSessionCheck } from '../../../subgraphs/toolkit/user-token.ts'
import { graphExamples, graphKeys, graphSignIn } from '../../../web/explorer/examples.ts'
import { startSite } from '../../../web/serve.ts'
import { recordingLog } from '../../gateway/support/graph.ts'
import { OFFERED } from '../../rest-facade/sample.ts'
import { aBadHost, aGoodHost, startTrust, type Trust } from '../../subgraphs/trust/support/trust.ts'
import { temporaryFiles } from '../../support/files.ts'
import { aPlugin, aServer, aSkill, type ItemRow, putItems } from '../../support/items.ts'

/** What an import must not be able to do to a reader. */
export const HOSTILE = `</script><script>window.ran = 1</script><img src=x onerror="window.ran = 1">'"><svg onload=window.ran=1>`

export const OPERATIONS_TOKEN = 'a-token-of-operators'

export const AWKWARD = { owner: 'Ünï cödé', repo: 'a%2Fb?c#d&e=f+g' }

/** Of a server whose package was never observed. */
const PINNED = { installations: [{ command: 'npx -y number-1@4.5.6', transport: 'stdio' }] }

/** Of a server whose package names another repository. */
const IN_PYPI = {
  repoUrl: 'https://github.com/many/number-7',
  installCommand: 'uvx Number_7',
  installations: [{ command: 'uvx Number_7', transport: 'stdio' }],
}

const ITEMS: readonly ItemRow[] = [
  aServer('acme/tools', {
    name: 'Acme Tools',
    description:
      'Reads and writes Acme records: orders, parts and drawings. Choose it when an agent should keep a warehouse in order.',
    category: 'Databases',
    tags: ['acme', 'postgres', 'warehouse'],
    popularity: 12_345,
    license: 'Apache-2.0',
    detail: {
      official: true,
      installCommand: 'npx -y @acme/tools@1.2.3 --read-only',
      installations: [
        { command: 'npx -y @acme/tools@1.2.3 --read-only', transport: 'stdio' },
        { command: 'claude mcp add --transport http tools https://good.example.com/mcp', transport: 'streamable-http' },
      ],
      envVars: [
        { name: 'ACME_PERSONAL_ACCESS_TOKEN', required: true, secret: true, description: 'A token of an Acme account' },
        { name: 'ACME_REGION', required: false, secret: false, description: null },
      ],
      repoUrl: 'https://good.example.com/acme/tools',
      docsUrl: 'https://good.example.com/acme/tools#readme',
      ...OFFERED,
    },
    provenance: [
      { field: 'description', source: 'acme/registry (docker)', path: 'servers/acme.yaml' },
      { field: 'category', source: 'acme/registry (docker)', path: null },
    ],
  }),
  aServer('acme/remote', {
    description: 'Postgres from afar',
    category: 'Databases',
    tags: ['postgres'],
    popularity: 40,
    detail: { repoUrl: null, docsUrl: 'https://bad.example.net/docs', transport: 'streamable-http', deprecated: true },
  }),
  aServer(`${AWKWARD.owner}/${AWKWARD.repo}`, {
    name: 'Awkward',
    detail: { ...AWKWARD, repoUrl: 'https://github.com/an-account' },
  }),
  aServer('evil/server', {
    name: HOSTILE,
    description: HOSTILE,
    category: HOSTILE.slice(0, 60),
    tags: [HOSTILE.slice(0, 40)],
    detail: {
      installCommand: HOSTILE,
      docsUrl: 'https://evil.example/"onmouseover="window.ran=1',
      repoUrl: 'https://evil.example/</a><script>window.ran=1</script>',
      envVars: [{ name: HOSTILE, required: true, secret: false, description: HOSTILE }],
    },
    provenance: [{ field: HOSTILE, source: HOSTILE, path: HOSTILE }],
  }),
  aPlugin('market/helper', {
    name: 'Helper',
    description: 'Helps with Acme records in the editor.',
    category: 'Developer Tools',
    tags: ['acme'],
    detail: {
      sourceUrl: 'https://new.example.org/helper',
      ecosystems: ['claude-code', 'cursor'],
      installCommand: '/plugin marketplace add acme/market\n/plugin install helper@market',
    },
  }),
  aSkill('pdf', {
    name: 'PDF',
    description: 'Reads, fills and splits PDF files.',
    category: 'Documents',
    tags: ['pdf', 'warehouse'],
    detail: { repoUrl: 'https://good.example.com/skills/pdf', docsUrl: 'https://good.example.com/skills/pdf/SKILL.md' },
  }),
  ...Array.from({ length: 30 }, (_, index) =>
    aServer(`many/number-${index}`, {
      description: 'One of many for postgres',
      category: 'Databases',
      popularity: index,
      detail: index === 1 ? PINNED : index === 7 ? IN_PYPI : {},
    }),
  ),
]

/**
 * The whole site over the real graph, with what `fill` puts into the directory and fixed evidence
 * about hosts, at an address of its own.
 */
export async function startWeb({
  fill = sample,
  mailServer = null,
  sampleIntervalMs,
}: {
  readonly fill?: (connection: Connection) => Promise<unknown>
  readonly mailServer?: MailServer | null
  /** Of the operations page: each sample costs some 10 ms of processor time. */
  readonly sampleIntervalMs?: number
} = {}) {
  const begun = Date.now()
  let ahead = 0
  // The directory's addresses must be known before the server listens.
  const port = await freePort('127.0.0.1')
  const url = `http://127.0.0.1:${port}`
  const users = { userKeys: publishedKeys(url), isSessionOpen: remoteSessionCheck(url) }
  const trust = await startTrust(() => new Date(begun + ahead * 1000), null, users)
  const { connection } = trust.database
  const log = recordingLog()
  await fill(connection)
  const directory = await directorySubgraph({ connection, publicUrl: url, log: log.log })
  const social = await socialSubgraph({ connection, log: log.log })
  const files = await temporaryFiles(url)
  const loopback = { resolvers: [], allow: ({ address }: { readonly address: string }) => address === '127.0.0.1' }
  const networks = { webhookNetwork: loopback, paymentNetwork: loopback }
  const store = await storeSubgraph({ connection, publicUrl: url, files, log: log.log, mailServer, ...networks })
  const subgraphs = [directory, social, store, trust.subgraph]
  setEvidenceOfHosts(trust)
  const metrics = createMetrics({ ofProcess: true })
  const history = createHistory(metrics, sampleIntervalMs === undefined ? {} : { intervalMs: sampleIntervalMs })
  const gateway = await startGateway({
    ...builtInSupergraph(),
    links: subgraphs.map(createLocalLink),
    limits: { depth: 10, cost: 1000 },
    log: log.log,
    metrics,
  })
  const stopMail = await store.deliverMail()
  const stopDelivering = await store.deliverWebhooks(await resources(gateway.client))
  const rateLimit = memoryRateLimit(Date.now)
  const checks = subgraphs.map(({ name, ready }) => ({ name, check: ready }))
  const site = await startSite(gateway.client, {
    publicUrl: url,
    hasExplorer: true,
    hasSchema: true,
    hasDesign: true,
    streams: (server) => streamOperations(server, gateway),
    uses: rateLimit.uses,
    operations: { token: OPERATIONS_TOKEN, history, checks, circuits: gateway.circuits, rateLimits: localRateLimitStore() },
  })
  const app = createHttpServer({ log: log.log, notFoundPage: site.lost })
  await serveGraphql(app, gateway, {
    page: await serveExplorer(app, { examples: graphExamples(), keys: graphKeys, signIn: graphSignIn(), home: './' }),
  })
  const { count: sockets } = serveWebSockets(app, gateway)
  await serveDirectoryApi(app, gateway.client, { publicUrl: url })
  // Tokens of users are verified by the keys that it publishes.
  await serveSocialApi(app, gateway.client, { publicUrl: url })
  await serveStoreApi(app, gateway.client, { publicUrl: url, rateLimit })
  await serveTrustApi(app, gateway.client, { publicUrl: url })
  await serveMcpServers(app, gateway.client, createExternalClient(gateway), {
    publicUrl: url,
    hosts: [],
    isOnLoopback: true,
    introspection: true,
    rateLimits: localRateLimitStore(),
  })
  serveFiles(app, files.local)
  await site.serve(app)
  const open = { sockets, gateway, jobs: store.jobs, listeners: () => 0 }
  await serveMetrics(app, metrics, open, { host: '127.0.0.1', port: undefined, log: log.log, defer: () => {} })
  await app.listen({ port, host: '127.0.0.1' })

  return {
    url,
    app,
    gateway,
    trust,
    log,
    /** Moves the clock of the trust subgraph on; it stands still otherwise. */
    later: (seconds: number) => {
      ahead += seconds
    },
    close: async () => {
      await history.close()
      await stopMail()
      await stopDelivering()
      await app.close()
      await gateway.close()
      await directory.close()
      await social.close()
      await store.close()
      await trust.close()
    },
  }
}

async function sample(connection: Connection): Promise<void> {
  await putItems(connection, ITEMS)
  await insertPackages(connection)
  await writePosts(connection)
}

async function writePosts(connection: Connection): Promise<void> {
  const client = new pg.Client({ ...connection })
  await client.connect()
  try {
    const { rows: authors } = await client.query(
      `INSERT INTO social."user" (email, email_key, name, name_key, role)
       VALUES ('ann@example.org', 'ann@example.org', 'Ann', 'ann', 'USER'), ('eve@example.org', 'eve@example.org', $1, 'eve', 'USER') RETURNING id`,
      [HOSTILE],
    )
    const { rows: items } = await client.query(
      `SELECT id FROM directory.item WHERE key IN ('acme/tools', 'evil/server') ORDER BY key`,
    )
    const posts = [
      [
        'Two months with Acme Tools',
        'It keeps our parts in order. The first set-up took an hour: the token needs the scope "records".',
      ],
      [HOSTILE, HOSTILE],
    ]
    for (const [index, [title, content]] of posts.entries()) {
      await client.query(
        'INSERT INTO social.post (author_id, title, content, about_id, published_at) VALUES ($1, $2, $3, $4, now())',
        [authors[index].id, title, content, encodeId('McpServer', items[index].id)],
      )
    }
  } finally {
    await client.end()
  }
}

function setEvidenceOfHosts({ sources }: Trust): void {
  sources.setEvidence('good.example.com', aGoodHost())
  sources.setEvidence('bad.example.net', aBadHost())
  sources.down.push('openphish')
  // Nobody told anything about it but that the registry did not answer.
  sources.setEvidence('new.example.org', { rdap: { status: 'timeout' }, dns: { status: 'failed', reason: 'servfail' } })
}

/** What registries said of packages: of one all is known, of one little, and one is of another repository. */
async function insertPackages(connection: Connection): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(
    `INSERT INTO directory.package_observation (registry, name, observed_at, answered_at, version, published_at, license, monthly_downloads,
       is_withdrawn, withdrawn_reason, repository, has_install_script, has_provenance)
     VALUES ('NPM', '@acme/tools', now(), '2026-11-25', '1.3.0', '2026-11-20', 'MIT OR Apache-2.0', 12345, false, NULL, 'acme/tools', false, true),
       ('NPM', 'server', now(), '2026-11-25', '2.0', NULL, NULL, NULL, true, $1, NULL, NULL, NULL),
       ('PYPI', 'number-7', now(), '2026-11-25', '7.0', NULL, NULL, NULL, true, NULL, 'other/place', true, false)`,
    [HOSTILE],
  )
  await client.end()
}
