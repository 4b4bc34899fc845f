import dgram from 'node:dgram'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import packet, { type Answer } from 'dns-packet'

/** What whoever is on the internet knows. */
const ROOT: Exclude<Reply, Buffer | 'silence'> = { answers: [{ type: 'NS', name: '.', data: 'a.root-servers.net' }] }

/** What to answer: a message's parts, its bytes, or nothing at all. */
export type Reply =
  | Buffer
  | 'silence'
  | {
      readonly rcode?: number
      readonly answers?: readonly Answer[]
      readonly authorities?: readonly Answer[]
      readonly authentic?: boolean
      readonly truncated?: boolean
      /** Sent in front of the right message. */
      readonly forged?: readonly Buffer[]
    }

export type DnsQuestion = {
  readonly name: string
  readonly type: string
  readonly transport: 'udp' | 'tcp'
  readonly message: packet.DecodedPacket
}
export type Answerer = (queries: DnsQuestion) => Reply | undefined

/** UDP ports are taken by whoever sends from any; this many in a row being taken is a fault. */
const MAX_BIND_ATTEMPTS = 20

export const SERVFAIL = 2
export const NXDOMAIN = 3
export const REFUSED = 5

export type DnsServer = {
  readonly address: string
  readonly port: number
  /** Everything that was asked, as "name TYPE". */
  readonly queries: string[]
  readonly close: () => Promise<void>
}

/**
 * A name server on loopback, over UDP and TCP. What `answer` leaves undefined does not exist.
 * `hasTcp` false: nobody listens there.
 */
export async function startDnsServer(answer: Answerer, { hasTcp = true } = {}): Promise<DnsServer> {
  const queries: string[] = []
  const { udp, tcp, port } = await bindBoth()
  if (!hasTcp) await closed(tcp)

  const messagesFor = (request: Buffer, transport: 'udp' | 'tcp'): Buffer[] => {
    const message = packet.decode(request)
    const question = message.questions?.[0]
    if (!question) return []
    const name = question.name.toLowerCase()
    queries.push(`${name} ${question.type}`)
    const isRoot = question.name === '.' && question.type === 'NS'
    const reply = answer({ name, type: question.type, transport, message }) ?? (isRoot ? ROOT : { rcode: NXDOMAIN })
    if (reply === 'silence') return []
    if (Buffer.isBuffer(reply)) return [reply]
    const right = encode(message, reply)
    return [...(reply.forged ?? []), right]
  }
  udp.on('message', (request, from) => {
    for (const message of messagesFor(request, 'udp')) udp.send(message, from.port, from.address)
  })
  tcp.on('connection', (socket) => {
    socket.on('error', () => {})
    socket.on('data', (request) => {
      for (const message of messagesFor(request.subarray(2), 'tcp')) {
        const length = Buffer.alloc(2)
        length.writeUInt16BE(message.length)
        socket.write(Buffer.concat([length, message]))
      }
    })
  })
  return {
    address: '127.0.0.1',
    port,
    queries,
    async close() {
      await closed(udp)
      if (hasTcp) tcp.close()
    },
  }
}

const closed = (socket: dgram.Socket | net.Server): Promise<void> => new Promise((resolve) => socket.close(() => resolve()))

/**
 * A TCP server and a UDP socket on one port of loopback. The port is free for TCP first; where
 * another process has it for UDP, the next one is tried.
 */
async function bindBoth(): Promise<{ udp: dgram.Socket; tcp: net.Server; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const tcp = net.createServer()
    await once(tcp.listen(0, '127.0.0.1'), 'listening')
    const { port } = tcp.address() as AddressInfo
    const udp = dgram.createSocket('udp4')
    try {
      await once(udp.bind(port, '127.0.0.1'), 'listening')
      return { udp, tcp, port }
    } catch (error) {
      udp.close()
      await closed(tcp)
      if (attempt === MAX_BIND_ATTEMPTS) throw error
    }
  }
}

/** The bytes of an answer to `message`. */
export function encode(message: packet.DecodedPacket, reply: Exclude<Reply, Buffer | 'silence'>): Buffer {
  const bytes = packet.encode({
    type: 'response',
    id: message.id ?? 0,
    flags:
      packet.RECURSION_DESIRED |
      packet.RECURSION_AVAILABLE |
      (reply.authentic ? packet.AUTHENTIC_DATA : 0) |
      (reply.truncated ? packet.TRUNCATED_RESPONSE : 0) |
      (reply.rcode ?? 0),
    questions: message.questions ?? [],
    answers: [...(reply.answers ?? [])],
    authorities: [...(reply.authorities ?? [])],
  })
  return bytes
}

/** Answers by "name TYPE"; a name that has any record exists, and has no others. */
export function zone(records: Readonly<Record<string, Reply | ((queries: DnsQuestion) => Reply)>>): Answerer {
  const names = new Set(Object.keys(records).map((key) => key.split(' ')[0]))
  return (queries) => {
    const found = records[`${queries.name} ${queries.type}`] ?? records[`${queries.name} *`]
    if (found !== undefined) return typeof found === 'function' ? found(queries) : found
    return names.has(queries.name) ? {} : undefined
  }
}

export const a = (name: string, ...addresses: string[]): Reply => ({
  answers: addresses.map((data) => ({ type: 'A' as const, name, data, ttl: 300 })),
})
export const aaaa = (name: string, ...addresses: string[]): Reply => ({
  answers: addresses.map((data) => ({ type: 'AAAA' as const, name, data, ttl: 300 })),
})
export const cname = (name: string, data: string): Answer => ({ type: 'CNAME', name, data, ttl: 300 })
export const txt = (name: string, ...texts: (string | Buffer)[]): Reply => ({
  answers: texts.map((data) => ({
    type: 'TXT' as const,
    name,
    data: typeof data === 'string' ? [data] : chunks(data),
    ttl: 300,
  })),
})

const chunks = (data: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(data.length / 255) }, (_, index) => data.subarray(index * 255, index * 255 + 255))
