/**
 * Stands in TCP connections and passes what it receives on later, as a link over a distance does:
 * each chunk after half of a round trip, in its order. Packets and their acknowledgements are not
 * delayed, nor is the making of a connection: a kernel without netem does not tell more. RELAY_PORTS
 * are ports with the address behind each, as `port=host:port,…`; RELAY_DELAY is a file with the
 * milliseconds of one direction and those of the jitter, read ten times a second.
 */
import { readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'

let [delay, jitter] = [0, 0]
function look(): void {
  const [first = 0, second = 0] = readFileSync(process.env.RELAY_DELAY ?? '', 'utf8')
    .split(' ')
    .map(Number)
  delay = first
  jitter = second
}
look()
setInterval(look, 100)

/** Passes bytes and the end of one direction on. */
function passOn(from: Socket, to: Socket): void {
  const waiting: { readonly due: number; readonly work: () => void }[] = []
  const passDue = () => {
    // In their order, whatever timers fire first.
    while ((waiting[0]?.due ?? Number.POSITIVE_INFINITY) <= performance.now()) waiting.shift()?.work()
    const [next] = waiting
    if (next) setTimeout(passDue, Math.max(1, next.due - performance.now()))
  }
  const later = (work: () => void) => {
    const due = Math.max(waiting.at(-1)?.due ?? 0, performance.now() + delay + Math.random() * jitter)
    if (waiting.push({ due, work }) === 1) setTimeout(passDue, due - performance.now())
  }
  from.on('data', (chunk) => later(() => to.write(chunk)))
  from.on('end', () => later(() => to.end()))
  from.on('close', (isBroken) => {
    if (isBroken) later(() => to.destroy())
  })
  from.on('error', () => {})
}

for (const each of (process.env.RELAY_PORTS ?? '').split(',')) {
  const [port = '', target = ''] = each.split('=')
  const [host = '', targetPort = ''] = target.split(':')
  createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ port: Number(targetPort), host, allowHalfOpen: true })
    for (const socket of [client, server]) socket.setNoDelay(true)
    passOn(client, server)
    passOn(server, client)
  }).listen(Number(port), process.env.RELAY_HOST)
}
