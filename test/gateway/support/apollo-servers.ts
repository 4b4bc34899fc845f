import type { IncomingMessage } from 'node:http'
import { ApolloGateway } from '@apollo/gateway'
import { ApolloServer, type ApolloServerOptionsWithGateway, type BaseContext } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'
import { onTestFinished } from 'vitest'
import { type AtriumGatewayOptions, atriumGateway } from '../../../gateway/apollo/atrium-gateway.ts'
import { recordingLog } from './graph.ts'

/** Which gateway an Apollo Server has. */
export type Kind = 'apollo' | 'atrium'
export const KINDS = ['apollo', 'atrium'] as const

/** Options that both gateways take. */
export type BothOptions = Pick<AtriumGatewayOptions, 'supergraphSdl' | 'buildService' | 'serviceHealthCheck'>
type ServerOptions = Omit<Partial<ApolloServerOptionsWithGateway<BaseContext>>, 'gateway'>

const QUIET = { debug() {}, info() {}, warn() {}, error() {} }

export const gatewayOf = (kind: Kind, options: BothOptions & Partial<AtriumGatewayOptions>) =>
  kind === 'atrium'
    ? atriumGateway({ log: recordingLog().log, ...options })
    : // Its types name its own classes; both are used in the same way.
      new ApolloGateway({ logger: QUIET, ...options } as ConstructorParameters<typeof ApolloGateway>[0] & {})

/** An answer over HTTP. */
export type Answer = {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
  readonly body: any
}

/** An Apollo Server that listens, with one of the gateways, until the test ends. */
export async function anApolloServer(
  kind: Kind,
  options: BothOptions & Partial<AtriumGatewayOptions>,
  serverOptions: ServerOptions = {},
  context: (request: { req: IncomingMessage }) => Promise<BaseContext> = async () => ({}),
) {
  const gateway = gatewayOf(kind, options)
  const server = new ApolloServer<BaseContext>({
    logger: QUIET,
    includeStacktraceInErrorResponses: false,
    introspection: true,
    stopOnTerminationSignals: false,
    ...serverOptions,
    gateway,
  })
  const { url } = await startStandaloneServer(server, { listen: { port: 0, host: '127.0.0.1' }, context })
  onTestFinished(() => server.stop())
  const send = async (body: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { status: answer.status, headers: answer.headers, body: await answer.json() }
  }
  return { gateway, server, url, send }
}
