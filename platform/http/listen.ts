import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type LookupTable, lookupTable } from '../collections/lookup-table.ts'
import type { Defer } from '../process/lifecycle.ts'
import { OperatorError } from '../process/operator-error.ts'

/**
 * Address of a program. At its end it accepts requests for `drainSeconds` while it reports that it
 * is not ready, and then waits `graceSeconds` for running ones.
 */
export type ListenOptions = {
  readonly host: string
  readonly port: number
  readonly graceSeconds: number
  readonly drainSeconds?: number
}

/** Address and times of the environment. */
export const listenOptionsFromConfig = (
  config: { readonly HOST: string; readonly SHUTDOWN_GRACE_SECONDS: number; readonly SHUTDOWN_DRAIN_SECONDS: number },
  port: number,
): ListenOptions => ({
  host: config.HOST,
  port,
  graceSeconds: config.SHUTDOWN_GRACE_SECONDS,
  drainSeconds: config.SHUTDOWN_DRAIN_SECONDS,
})

/**
 * Connections in the accept queue: Linux' own bound (net.core.somaxconn). With the 511 of Node, a
 * busy process has new connections reset.
 */
const MAX_BACKLOG_CONNECTIONS = 4_096

const REFUSALS: LookupTable<(at: ListenOptions) => string> = lookupTable({
  EADDRINUSE: ({ host, port }) =>
    `Port ${port} on ${host} is in use: stop the program that listens there, or set PORT to another number.`,
  EACCES: ({ port }) => `Port ${port} needs more rights than this user has: set PORT to a number from 1024 on.`,
  EADDRNOTAVAIL: ({ host }) =>
    `HOST ${host} is not an address of this machine: set HOST to one that is, or to 0.0.0.0 for all of them.`,
  ENOTFOUND: ({ host }) => `HOST ${host} is unknown: set HOST to an address of this machine, or to 0.0.0.0 for all of them.`,
})

/** Opens the port; the end of the program closes it first and lets requests finish. */
export async function listen(app: FastifyInstance, at: ListenOptions, defer: Defer): Promise<void> {
  try {
    await app.listen({ host: at.host, port: at.port, backlog: MAX_BACKLOG_CONNECTIONS })
  } catch (error) {
    await app.close()
    throw refusalOf(error, at)
  }
  defer(async () => {
    if (at.drainSeconds) {
      app.startDraining()
      await sleep(at.drainSeconds * 1000)
    }
    const finished = new AbortController()
    const cut = sleep(at.graceSeconds * 1000, undefined, { signal: finished.signal }).then(app.cutConnections, () => {})
    await app.close()
    finished.abort()
    await cut
  })
}

/** An unused TCP port of `host`. */
export async function freePort(host: string): Promise<number> {
  const server = createServer()
  try {
    return await new Promise((found, failed) => {
      server.once('error', (error) => failed(refusalOf(error, { host, port: 0, graceSeconds: 0 })))
      server.listen(0, host, () => {
        const address = server.address()
        if (address !== null && typeof address === 'object') found(address.port)
      })
    })
  } finally {
    server.close()
  }
}

/**
 * Whether only programs of this machine reach a listener on `host`. Names other than localhost
 * count as public.
 */
export const isLoopbackHost = (host: string): boolean => /^(?:localhost|(?:::ffff:)?127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(host)

/** How a program that listens on `host` and `port` is reached from this machine. */
export function localUrl(host: string, port: number): string {
  const everyHere = ['127.0.0.1', '::1', '0.0.0.0', '::', 'localhost'].includes(host)
  return `http://${everyHere ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}

function refusalOf(error: unknown, at: ListenOptions): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const refusal = REFUSALS[code]
  return refusal ? new OperatorError(refusal(at)) : error
}
