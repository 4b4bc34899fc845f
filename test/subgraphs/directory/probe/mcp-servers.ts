import { createServer, type Server as HttpServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'

/** A tool, prompt or resource as a server lists it. */
export type Listed = Readonly<Record<string, unknown>>

/** What a server of a test offers; it may change while the server runs. */
export type Offer = { tools: readonly Listed[]; prompts?: readonly Listed[]; resources?: readonly Listed[]; pageSize?: number }

/** A real server at an address of loopback. */
export type Running = {
  readonly url: string
  readonly port: number
  readonly methods: string[]
  readonly close: () => Promise<void>
}

/** A real MCP server of the official library; counts what it is asked for. */
export async function offering(offer: Offer, version = '1.2.3'): Promise<Running> {
  const methods: string[] = []
  const handler = createMcpHandler(() => {
    const server = new Server(
      { name: 'offering', version },
      { capabilities: { tools: {}, ...(offer.prompts && { prompts: {} }), ...(offer.resources && { resources: {} }) } },
    )
    const page = (list: readonly Listed[], cursor: string | undefined) => {
      const start = Number(cursor ?? 0)
      const end = start + (offer.pageSize ?? 1_000)
      return { list: list.slice(start, end), ...(end < list.length && { nextCursor: String(end) }) }
    }
    server.setRequestHandler('tools/list', ({ params }) => {
      const { list, ...rest } = page(offer.tools, params?.cursor)
      return { tools: list, ...rest } as never
    })
    if (offer.prompts) server.setRequestHandler('prompts/list', () => ({ prompts: offer.prompts }) as never)
    if (offer.resources) {
      server.setRequestHandler('resources/list', () => ({ resources: offer.resources }) as never)
      server.setRequestHandler('resources/templates/list', () => ({
        resourceTemplates: [{ uriTemplate: 'file:///{path}', name: 'files' }],
      }))
    }
    return server
  })
  const running = await listening(async (request, response) => {
    const body = request.method === 'POST' ? await text(request) : ''
    for (const one of [JSON.parse(body || '[]')].flat()) methods.push(one.method)
    const headers = Object.entries(request.headers).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
    const web = new Request(`http://127.0.0.1${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      ...(body !== '' && { body }),
    })
    const answer = await handler.fetch(web)
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  }, methods)
  return { ...running, close: async () => void (await Promise.all([handler.close(), running.close()])) }
}

/** A server that answers as no library would: `answer` gets each parsed message. */
export const hostile = (
  answer: (
    message: { readonly method: string; readonly id?: number; readonly params?: Listed },
    ...rest: Parameters<RequestListener>
  ) => void,
): Promise<Running> =>
  listening(async (request, response) => {
    const body = await bodyOf(request)
    answer(body, request, response)
  })

const bodyOf = async (request: IncomingMessage) => JSON.parse((await text(request)) || '{}')

async function listening(
  listener: (...given: Parameters<RequestListener>) => Promise<void>,
  methods: string[] = [],
): Promise<Running> {
  const server: HttpServer = createServer((request, response) => {
    listener(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    methods,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
