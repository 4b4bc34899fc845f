import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type CreateGatewayOptions, createGateway } from '../../../gateway/library/create-gateway.ts'
import { recordingLog, reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'
import { serveRemote } from '../support/remote.ts'

const NAME = '{ product(id: "a") { name } }'
const NAMED = { product: { name: 'Product a' } }
const ALL = { headers: true, body: true, context: true }
const EVERY_STAGE = { request: ALL, operation: ALL, plan: ALL, subgraphRequest: ALL, subgraphResponse: ALL }

type Message = {
  readonly stage: string
  readonly headers: Record<string, string[]>
  // As JSON has it.
  // biome-ignore lint/suspicious/noExplicitAny: bodies differ by stage
  readonly body: any
  readonly context: { readonly entries: Record<string, unknown> }
  readonly [other: string]: unknown
}
type Coprocess = (message: Message, response: ServerResponse) => unknown

type Given = Omit<NonNullable<CreateGatewayOptions['coprocessor']>, 'url' | 'stages'> & {
  readonly stages?: NonNullable<CreateGatewayOptions['coprocessor']>['stages']
  readonly url?: string
}

/** A gateway that asks a coprocessor; what `coprocess` returns is sent back, undefined nothing. */
async function aGateway(coprocess: Coprocess, given: Given = {}, others: Partial<CreateGatewayOptions> = {}) {
  const messages: Message[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const message = JSON.parse(body)
    messages.push(message)
    const reply = await coprocess(message, response)
    if (reply !== undefined) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const [shop, review] = [await serveRemote(shopSubgraph()), await serveRemote(reviewSubgraph())]
  const { log, lines } = recordingLog()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks?v=1`
  const gateway = await createGateway({
    supergraph: supergraphSdl({ shop: shop.url, review: review.url }),
    log,
    coprocessor: { url, stages: EVERY_STAGE, ...given },
    ...others,
  })
  onTestFinished(async () => {
    await gateway.close()
    for (const each of [server, shop.server, review.server]) each.close().closeAllConnections()
  })
  const post = async (query: string, headers: Record<string, string> = {}, variables: object = {}) => {
    const response = await gateway.fetch(
      new Request('http://gateway.example/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers },
        body: JSON.stringify({ query, variables }),
      }),
    )
    return { status: response.status, ...((await response.json()) as { data?: unknown; errors?: Record<string, unknown>[] }) }
  }
  return { messages, post, shop, lines, server }
}

const at =
  (stage: string, change: (message: Message) => unknown): Coprocess =>
  (message) =>
    message.stage === stage ? change(message) : { control: 'continue' }

describe('the protocol', () => {
  test('is that of Apollo Router: an echo changes nothing', async () => {
    const { post, messages } = await aGateway((message) => message)
    expect(await post(NAME, { authorization: 'Bearer t' })).toEqual({ status: 200, data: NAMED })
    const query = '{\n  product(id: "a") {\n    name\n  }\n}'
    const headers = { authorization: ['Bearer t'] }
    const same = { version: 1, control: 'continue', context: { entries: {} }, id: messages[0]?.id }
    expect(messages).toMatchObject([
      { ...same, stage: 'RouterRequest', method: 'POST', headers, body: JSON.stringify({ query, variables: {} }) },
      { ...same, stage: 'SupergraphRequest', body: { query, variables: {} } },
      { ...same, stage: 'ExecutionRequest', queryPlan: { fetches: [{ subgraph: 'shop' }] }, cost: 3 },
      { ...same, stage: 'SubgraphRequest', serviceName: 'shop', headers, body: { variables: {} } },
      {
        ...same,
        stage: 'SubgraphResponse',
        serviceName: 'shop',
        headers: { 'content-type': ['application/json'] },
        body: { data: NAMED },
      },
    ])
    expect(String(same.id)).toMatch(/^[\w-]{8,}$/)
  })

  test('is sent the parts that the operator named, at the stages that the operator named', async () => {
    const { post, messages } = await aGateway(() => ({ control: 'continue' }), {
      stages: { request: {}, plan: { context: true } },
    })
    await post(NAME, { authorization: 'Bearer t' })
    expect(messages.map((message) => Object.keys(message).sort())).toEqual([
      ['control', 'id', 'method', 'stage', 'version'],
      ['context', 'control', 'cost', 'id', 'queryPlan', 'stage', 'version'],
    ])
  })

  test('changes headers of the client and of fetches, variables, responses, and the context', async () => {
    const { post, shop, messages } = await aGateway((message) => {
      const entries = { ...message.context.entries, [message.stage]: true }
      const context = { entries }
      switch (message.stage) {
        case 'RouterRequest': {
          const { 'x-old': _, ...headers } = message.headers
          return { ...message, context, headers: { ...headers, authorization: ['Bearer exchanged'] } }
        }
        case 'SupergraphRequest':
          return { ...message, context, body: { ...message.body, variables: { id: 'c' } } }
        case 'SubgraphRequest':
          return { ...message, context: { entries: { only: 'this' } }, headers: { ...message.headers, 'x-new': ['1', '2'] } }
        case 'SubgraphResponse':
          return { ...message, body: { data: { product: { name: `Changed ${message.body.data.product.name}` } } } }
        default:
          return { ...message, context }
      }
    })
    const query = 'query ($id: ID!) { product(id: $id) { name } }'
    expect(await post(query, { 'x-old': '1' }, { id: 'a' })).toEqual({
      status: 200,
      data: { product: { name: 'Changed Product c' } },
    })
    expect(shop.requests[0]?.headers).toMatchObject({ authorization: 'Bearer exchanged', 'x-new': '1, 2' })
    expect(messages.at(-2)?.context.entries).toEqual({ RouterRequest: true, SupergraphRequest: true, ExecutionRequest: true })
    expect(messages.at(-1)?.context.entries).toEqual({ only: 'this' })
  })

  test.each([
    { stage: 'RouterRequest', body: JSON.stringify({ errors: [{ message: 'Paid only.', extensions: { code: 'PAYMENT' } }] }) },
    { stage: 'SupergraphRequest', body: { errors: [{ message: 'Paid only.', extensions: { code: 'PAYMENT' } }] } },
    {
      stage: 'ExecutionRequest',
      body: { errors: [{ message: 'Paid only.', extensions: { code: 'PAYMENT', stacktrace: ['at x'] } }] },
    },
  ])('"break" at $stage ends the operation with its status and errors', async ({ stage, body }) => {
    const { post, shop } = await aGateway(at(stage, (message) => ({ ...message, control: { break: 402 }, body })))
    const { status, errors, data } = await post(NAME)
    expect([status, data, shop.requests]).toEqual([402, undefined, []])
    expect(errors).toMatchObject([{ message: 'Paid only.', extensions: { code: 'PAYMENT' } }])
    expect(JSON.stringify(errors)).not.toContain('stacktrace')
  })

  test.each([
    { status: 401, code: 'UNAUTHENTICATED' },
    { status: 403, code: 'FORBIDDEN' },
    { status: 429, code: 'RATE_LIMITED' },
  ])('"break" with $status and no errors is $code', async ({ status, code }) => {
    const { post } = await aGateway(at('RouterRequest', () => ({ control: { break: status } })))
    expect(await post(NAME)).toMatchObject({ status, errors: [{ extensions: { code } }] })
  })

  test('"break" at SubgraphRequest fails that fetch alone', async () => {
    const { post, shop } = await aGateway(
      at('SubgraphRequest', ({ serviceName }) =>
        serviceName === 'shop' ? { control: { break: 403 } } : { control: 'continue' },
      ),
    )
    const { data, errors } = await post('{ product(id: "a") { name } latestReview { text } }')
    expect(data).toEqual({ product: null, latestReview: { text: 'Fine.' } })
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
    expect(shop.requests).toEqual([])
  })

  test('hooks come before it, in the same context', async () => {
    const request = ({ context }: { context: Record<string, unknown> }) => {
      context.hook = 1
      return { headers: { 'x-hook': '1' } }
    }
    const { post, messages } = await aGateway((message) => message, {}, { hooks: { request } })
    await post(NAME)
    expect(messages[0]).toMatchObject({ headers: { 'x-hook': ['1'] }, context: { entries: { hook: 1 } } })
  })
})

const HOSTILE: readonly { readonly why: string; readonly coprocess: Coprocess }[] = [
  { why: 'hangs', coprocess: () => undefined },
  { why: 'sends a head and no more', coprocess: (_, response) => void response.writeHead(200).write('{') },
  { why: 'resets the connection', coprocess: (_, response) => void response.socket?.resetAndDestroy() },
  { why: 'answers 500', coprocess: (_, response) => void response.writeHead(500).end('{"control":"continue"}') },
  { why: 'redirects', coprocess: (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end() },
  { why: 'sends no JSON', coprocess: (_, response) => void response.writeHead(200).end('<html>hunter2</html>') },
  { why: 'sends a list', coprocess: () => [] },
  { why: 'sends 20 MB', coprocess: () => ({ control: 'continue', filler: 'x'.repeat(20_000_000) }) },
  { why: 'sends no control', coprocess: () => ({}) },
  { why: 'breaks with a status of success', coprocess: () => ({ control: { break: 200 } }) },
  { why: 'breaks with a text', coprocess: () => ({ control: { break: 'now' } }) },
  {
    why: 'breaks with errors that are none',
    coprocess: () => ({ control: { break: 403 }, body: '{"errors":[{"code":"hunter2"}]}' }),
  },
  { why: 'answers another stage', coprocess: () => ({ control: 'continue', stage: 'RouterResponse' }) },
  { why: 'speaks another version', coprocess: () => ({ control: 'continue', version: 2 }) },
  { why: 'changes the query', coprocess: (message) => ({ ...message, body: message.body.replace('name', 'id') }) },
  {
    why: 'changes the length of the body',
    coprocess: (message) => ({ ...message, headers: { ...message.headers, 'content-length': ['1'] } }),
  },
  { why: 'smuggles a header', coprocess: (message) => ({ ...message, headers: { ...message.headers, 'x-a': ['b\r\nx-c: d'] } }) },
  { why: 'sends headers that are numbers', coprocess: (message) => ({ ...message, headers: { 'x-a': [1] } }) },
  { why: 'fills the context', coprocess: (message) => ({ ...message, context: { entries: { filler: 'x'.repeat(100_001) } } }) },
]

describe('a coprocessor out of reach', () => {
  test.each(HOSTILE)(
    'because it $why: the operation is refused with 503 and HOOK_FAILED, and the log says why',
    async ({ coprocess }) => {
      const { post, shop, lines } = await aGateway(coprocess, { timeoutMilliseconds: 300, stages: { request: ALL } })
      const { status, errors, data } = await post(NAME)
      expect([status, data, shop.requests]).toEqual([503, undefined, []])
      expect(errors).toMatchObject([{ extensions: { code: 'HOOK_FAILED', stage: 'request' } }])
      expect(JSON.stringify(errors)).not.toMatch(/hunter2|127\.0\.0\.1/)
      expect(lines.filter(({ msg }) => msg === 'a hook failed')).toHaveLength(1)
    },
  )

  test('because it is not there', async () => {
    const { post } = await aGateway(() => undefined, { url: 'http://127.0.0.1:1/' })
    expect(await post(NAME)).toMatchObject({ status: 503, errors: [{ extensions: { code: 'HOOK_FAILED' } }] })
  })

  test('is ignored where the operator says so, with a line in the log', async () => {
    const { post, lines } = await aGateway(() => [], { onFailure: 'continue' })
    expect(await post(NAME)).toEqual({ status: 200, data: NAMED })
    expect(lines.filter(({ msg }) => msg === 'a hook failed')).toHaveLength(Object.keys(EVERY_STAGE).length)
  })

  test.each([
    { stages: { request: {} }, part: { headers: { 'x-a': ['b'] } }, says: 'headers' },
    { stages: { operation: { headers: true } }, part: { body: { variables: {} } }, says: 'body' },
    { stages: { plan: {} }, part: { context: { entries: {} } }, says: 'context' },
  ])('because it changes a part that it was not told: $says', async ({ stages, part, says }) => {
    const { post, lines } = await aGateway((message) => ({ ...message, ...part }), { stages })
    expect(await post(NAME)).toMatchObject({ errors: [{ extensions: { code: 'HOOK_FAILED' } }] })
    expect(JSON.stringify(lines)).toContain(`Expected no \\"${says}\\" from the coprocessor`)
  })
})

test.each([
  {
    coprocessor: { url: 'unix:///tmp/a', stages: { request: {} } },
    says: 'Expected "coprocessor.url" to be an http or https URL',
  },
  {
    coprocessor: { url: 'http://a', stages: {} },
    says: 'Expected "coprocessor.stages" to be an object with at least one of request',
  },
  { coprocessor: { url: 'http://a', stages: { response: {} } }, says: 'Unknown option "coprocessor.stages.response".' },
  {
    coprocessor: { url: 'http://a', stages: { plan: { headers: true, body: 'all' } } },
    says: 'Expected "coprocessor.stages.plan.body" to be true or false, got a text of 3 characters.',
  },
])('wrong options stop the start: $says', async ({ coprocessor, says }) => {
  await expect(createGateway({ supergraph: supergraphSdl(), coprocessor: coprocessor as never })).rejects.toThrow(says)
})
