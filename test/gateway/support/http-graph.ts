import zlib from 'node:zlib'
import { onTestFinished } from 'vitest'
import { startGateway } from '../../../gateway/gateway.ts'
import type { Tracing } from '../../../gateway/observability/tracing.ts'
import { createRemoteLink } from '../../../gateway/subgraph-client/remote-subgraph.ts'
import { ask, recordingLog, reviewSubgraph, shopSubgraph, supergraphSdl } from './graph.ts'
import { type Exchange, type Remote, serveRemote } from './remote.ts'

/** A graph of two subgraphs over HTTP, until the test ends. */
export async function aGraph({
  timeoutMilliseconds = 5_000,
  tracing = null,
}: {
  timeoutMilliseconds?: number
  tracing?: Tracing | null
} = {}) {
  const [shop, review] = [await aShop(), await untilTheEnd(serveRemote(reviewSubgraph()))]
  const { log, lines } = recordingLog()
  const link = createRemoteLink({ name: 'shop', url: shop.url, timeoutMilliseconds, log })
  const links = [link, createRemoteLink({ name: 'review', url: review.url, log })]
  onTestFinished(async () => {
    await Promise.all(links.map((each) => each.close()))
  })
  const gateway = await startGateway({ supergraphSdl: supergraphSdl(), links, limits: { depth: 10, cost: 1000 }, log, tracing })
  return { gateway, link, shop, review, lines, executing: (query: string) => ask(gateway, query) }
}

/** A server of the shop's subgraph, until the test ends. */
export const aShop = (): Promise<Remote> => untilTheEnd(serveRemote(shopSubgraph()))

async function untilTheEnd(starting: Promise<Remote>): Promise<Remote> {
  const remote = await starting
  onTestFinished(() => void remote.server.close().closeAllConnections())
  return remote
}

export const aRequest = (query: string) => ({ query, variables: {}, operationName: undefined })

/** undici uses a connection again one turn of the event loop after its last answer. */
export const idle = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
}

export const NAME = '{ product(id: "a") { name } }'
export const BOTH = '{ product(id: "a") { name } latestReview { text } }'
export const RENAME = 'mutation { rename(id: "a", name: "New") { name } }'

/** What must not reach a client. */
export const SECRET = 'secret-host'

/** Writes this to the connection, and closes it. */
export const raw =
  (...chunks: readonly string[]) =>
  ({ request }: Exchange) => {
    for (const chunk of chunks) request.socket.write(chunk)
    request.socket.end()
  }
export const replies =
  (status: number, headers: Readonly<Record<string, string>> = {}, body: string | Buffer = `<html>${SECRET}</html>`) =>
  ({ response }: Exchange) =>
    void response.writeHead(status, headers).end(body)
export const hangs = () => {}
export const resets = ({ request }: Exchange) => void request.socket.resetAndDestroy()
/** A blank at a time, for ever. */
export const drips = ({ response }: Exchange) => {
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}
/** As much as is taken, for ever. */
export const pours = ({ response }: Exchange) => {
  const chunk = 'x'.repeat(1_000_000)
  // `writable` stays true when the reader has left, and every write is then done at once.
  const write = () => void (response.destroyed || response.write(chunk, () => setImmediate(write)))
  write()
}
/** 20 MB, compressed to little. */
export const bomb = (coding: string, compress: (bytes: Buffer) => Buffer) =>
  replies(200, { 'content-encoding': coding }, compress(Buffer.from(`{"data":{"product":{"name":"${'x'.repeat(20_000_000)}"}}}`)))

export function fastBrotli(bytes: Buffer): Buffer {
  return zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })
}
