/**
 * What fan-out is compared with: a server that writes one text to every socket when it is told to,
 * and does nothing else. Forked by subscriptions.ts.
 */
import { WebSocketServer } from 'ws'

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
server.once('listening', () => process.send?.((server.address() as { port: number }).port))
process.on('message', (text: string) => {
  for (const client of server.clients) client.send(text)
})
process.on('disconnect', () => process.exit())
