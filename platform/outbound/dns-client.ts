import type { RecordType } from 'dns-packet'
import { deadline } from './deadline.ts'
import { type DnsAnswer, decodeAnswer, encodeQuestion } from './dns-message.ts'
import { type DnsSockets, dnsSockets } from './dns-sockets.ts'
import { Fault, faultOf } from './fault.ts'
import type { Network, SocketEndpoint } from './safe-connect.ts'
import { slots } from './slots.ts'

/** Client of the configured DNS servers, which must resolve recursively. */
export type DnsClient = {
  /**
   * A response with any rcode. Throws a `Fault` when none arrives before the signal. `isUnchecked`:
   * without DNSSEC validation (CD).
   */
  readonly query: (
    name: string,
    type: RecordType,
    signal: AbortSignal,
    options?: { readonly isUnchecked?: boolean },
  ) => Promise<DnsAnswer>
  /** The servers' view of the root zone, queried once an hour. Never rejects. */
  readonly root: (signal: AbortSignal) => Promise<Root>
}

/**
 * `isReachable`: the servers reach the internet; otherwise NXDOMAIN means nothing.
 * `validatesDnssec`: they validate signatures.
 */
export type Root = { readonly isReachable: boolean; readonly validatesDnssec: boolean }

/** Time limit of one try at one server. */
const TRY_TIMEOUT_MS = 700
/** Most tries per query, over all servers. */
const MAX_TRIES = 4
/** Most concurrent queries per server and in total: one decision takes about twelve. */
const MAX_CONCURRENT_QUERIES = { perKey: 200, total: 400 }
/** How long the root's state is cached, and how long its absence. */
const ROOT_TTL_MS = 3_600_000
const ROOT_RETRY_MS = 10_000

export function dnsClient(network: Network): DnsClient {
  const querySlots = slots(MAX_CONCURRENT_QUERIES)
  const sockets = dnsSockets(network)
  let question: { readonly until: number; readonly answer: Promise<Root> } | null = null

  return { query, root }

  async function root(signal: AbortSignal): Promise<Root> {
    if (question && performance.now() < question.until) return question.answer
    const answer = query('.', 'NS', signal).then(
      // The root zone is signed: a validating server marks its records as authentic.
      ({ rcode, records, isAuthentic }) => ({
        isReachable: rcode === 'NOERROR' && records.some(({ type }) => type === 'NS'),
        validatesDnssec: isAuthentic,
      }),
      () => ({ isReachable: false, validatesDnssec: false }),
    )
    const current = { until: performance.now() + ROOT_TTL_MS, answer }
    question = current
    const found = await answer
    if (!found.isReachable && question === current) question = { until: performance.now() + ROOT_RETRY_MS, answer }
    return found
  }

  async function query(name: string, type: RecordType, signal: AbortSignal, { isUnchecked = false } = {}): Promise<DnsAnswer> {
    const { resolvers } = network
    let failed: DnsAnswer | null = null
    let fault = new Fault('unavailable', 'no DNS server is configured')
    const tries = resolvers.length === 0 ? 0 : Math.max(resolvers.length, Math.min(MAX_TRIES, resolvers.length * 2))
    for (let attempt = 0; attempt < tries && !signal.aborted; attempt += 1) {
      const server = resolvers[attempt % resolvers.length]
      if (!server) break
      try {
        const answer = await querySlots.run(key(server), signal, () =>
          queryServer(network, sockets, server, { name, type, isUnchecked }, signal),
        )
        if (answer.rcode === 'NOERROR' || answer.rcode === 'NXDOMAIN') return answer
        failed = answer
        // The same server would answer the same.
        if (attempt + 1 >= resolvers.length) break
      } catch (error) {
        fault = faultOf(error)
        // No retry for a malformed response: the query itself may trigger it.
        if (fault.reason === 'malformed' && attempt + 1 >= resolvers.length) break
      }
    }
    if (failed) return failed
    throw fault
  }
}

const key = ({ address, port }: SocketEndpoint): string => `${address}#${port}`

async function queryServer(
  network: Network,
  sockets: DnsSockets,
  server: SocketEndpoint,
  { name, type, isUnchecked }: { readonly name: string; readonly type: RecordType; readonly isUnchecked: boolean },
  signal: AbortSignal,
): Promise<DnsAnswer> {
  const query = encodeQuestion({ name, type }, { isUnchecked })
  const tryDeadline = deadline(TRY_TIMEOUT_MS, signal)
  try {
    const receive = (message: Buffer) => decodeAnswer(message, query)
    const answer = await sockets.exchange(server, query, receive, tryDeadline.signal)
    return answer === 'truncated' ? await queryOverTcp(network, server, query, tryDeadline.signal) : answer
  } finally {
    tryDeadline.clear()
  }
}

async function queryOverTcp(network: Network, server: SocketEndpoint, query: Buffer, signal: AbortSignal): Promise<DnsAnswer> {
  const socket = await network.resolverStream(server, signal)
  const { promise, resolve, reject } = Promise.withResolvers<DnsAnswer>()
  const onAbort = () => reject(new Fault('timeout', 'no DNS answer in time'))
  let received = Buffer.alloc(0)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  socket.on('error', reject)
  socket.on('close', () => reject(new Fault('unavailable', 'the DNS server closed the connection')))
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    if (received.length < 2) return
    // A 16-bit length: at most 64 KiB.
    const length = received.readUInt16BE(0)
    if (received.length < length + 2) return
    try {
      const answer = decodeAnswer(received.subarray(2, length + 2), query)
      if (answer === null || answer === 'truncated') throw new Fault('malformed', 'a DNS answer to another question')
      resolve(answer)
    } catch (error) {
      reject(error)
    }
  })
  const length = Buffer.alloc(2)
  length.writeUInt16BE(query.length)
  socket.write(Buffer.concat([length, query]))
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', onAbort)
    socket.destroy()
  }
}
