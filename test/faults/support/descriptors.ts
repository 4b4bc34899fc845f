import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** File descriptors of a process by what they are. */
export type Descriptors = {
  /** Files, pipes, watches and polls of the system. */
  readonly files: number
  /** Sockets that accept connections. */
  readonly listening: number
  /** Connections that the process has made, over TCP and Unix sockets. */
  readonly outbound: number
  /** Connections to a port that it listens on: as many as its clients keep open. */
  readonly incoming: number
  /** The same, but ended by one side: for the process to close (CLOSE_WAIT), or closing. */
  readonly ended: number
}

/** What the system tells of a TCP socket: its port here, and its state. */
type TcpSocket = { readonly port: string; readonly state: string }

/** States in `/proc/net/tcp`. */
const [ESTABLISHED, LISTENING] = ['01', '0A']

/** Counts the descriptors of the process `pid` by kind. Linux only. */
export function descriptorsOf(pid: number): Descriptors {
  const tcp = new Map(['tcp', 'tcp6'].flatMap((file) => tcpSockets(readFileSync(`/proc/${pid}/net/${file}`, 'utf8'))))
  const inodes = targets(pid).map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1])
  const sockets = inodes.flatMap((inode) => (inode === undefined ? [] : [tcp.get(inode) ?? null]))
  const ports = new Set(sockets.flatMap((socket) => (socket?.state === LISTENING ? [socket.port] : [])))
  const accepted = sockets.filter((socket) => socket !== null && socket.state !== LISTENING && ports.has(socket.port))
  const listening = sockets.filter((socket) => socket?.state === LISTENING).length
  const incoming = accepted.filter((socket) => socket?.state === ESTABLISHED).length
  return {
    files: inodes.length - sockets.length,
    listening,
    outbound: sockets.length - listening - accepted.length,
    incoming,
    ended: accepted.length - incoming,
  }
}

/** What each descriptor refers to; one that was closed meanwhile is left out. */
function targets(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)]
    } catch {
      return []
    }
  })
}

/** Sockets by inode, from a table of `/proc/net`. */
function tcpSockets(table: string): readonly (readonly [inode: string, socket: TcpSocket])[] {
  return table
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [, local = '', , state = '', , , , , , inode = ''] = line.trim().split(/\s+/)
      return [inode, { port: local.split(':')[1] ?? '', state }] as const
    })
}
