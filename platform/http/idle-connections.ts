import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * `end` ends connections that wait for nothing, now and as they become idle; `cut` ends all at once.
 * Node's `closeIdleConnections` leaves out those that never sent a byte, so one browser that opened
 * a connection ahead of need would hold up a stop until a timeout; and its `closeAllConnections`
 * leaves out WebSockets.
 */
export function idleConnections(server: Server): { readonly end: () => void; readonly cut: () => void } {
  /** Open connections and how many requests each is in the middle of; infinite once upgraded. */
  const running = new Map<Socket, number>()
  let isEnding = false

  server.on('connection', (socket: Socket) => {
    if (isEnding) {
      socket.destroy()
      return
    }
    running.set(socket, 0)
    socket.once('close', () => running.delete(socket))
  })
  // From then on the WebSocket server owns it, until all connections are cut.
  server.on('upgrade', ({ socket }) => {
    if (running.has(socket)) running.set(socket, Number.POSITIVE_INFINITY)
  })
  server.on('request', ({ socket }, response) => {
    running.set(socket, (running.get(socket) ?? 0) + 1)
    response.once('close', () => {
      if (!running.has(socket)) return
      const left = (running.get(socket) ?? 1) - 1
      running.set(socket, left)
      if (isEnding && left === 0) socket.end()
    })
  })

  return {
    end() {
      isEnding = true
      for (const [socket, requests] of running) if (requests === 0) socket.destroy()
    },
    cut() {
      for (const socket of running.keys()) socket.destroy()
    },
  }
}
