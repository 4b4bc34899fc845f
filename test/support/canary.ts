import net, { type AddressInfo } from 'node:net'

/** A listener that counts who connects to it. */
export async function aCanary(): Promise<{
  readonly port: number
  readonly connections: () => number
  readonly close: () => void
}> {
  let connections = 0
  const server = net.createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  // Every address of this machine, so that none leads past it.
  await new Promise<void>((resolve) => server.listen(0, resolve))
  return { port: (server.address() as AddressInfo).port, connections: () => connections, close: () => server.close() }
}
