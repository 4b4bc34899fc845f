import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { type Descriptors, descriptorsOf } from './support/descriptors.ts'

test('connections that clients hold open are told from files, listeners and connections of the process itself', async () => {
  const before = descriptorsOf(process.pid)
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const file = openSync('/dev/null', 'r')
  // Both ends are of this process: one made the connection, and one took it.
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [accepted] = await once(server, 'connection')
  expect(since(before)).toEqual({ files: 1, listening: 1, outbound: 1, incoming: 1, ended: 0 })
  closeSync(file)
  client.destroy()
  accepted.destroy()
  server.close()
})

test('a connection that its client has ended, and the process keeps, is not one that clients hold open', async () => {
  const before = descriptorsOf(process.pid)
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [accepted] = await once(server, 'connection')
  accepted.resume()
  client.end()
  await once(accepted, 'end')
  expect(since(before)).toMatchObject({ listening: 1, outbound: 1, incoming: 0, ended: 1 })
  client.destroy()
  accepted.destroy()
  server.close()
})

/** What has come since. */
function since(before: Descriptors): Descriptors {
  const { files, listening, outbound, incoming, ended } = descriptorsOf(process.pid)
  return {
    files: files - before.files,
    listening: listening - before.listening,
    outbound: outbound - before.outbound,
    incoming: incoming - before.incoming,
    ended: ended - before.ended,
  }
}
