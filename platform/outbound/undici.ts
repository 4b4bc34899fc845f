/**
 * undici's connections, without the rest of the package: its fetch, WebSocket, cache and mocks are
 * 80 more files, and make Node load its own copy of undici as well (6 MB together). Files also
 * because Bun replaces the package `undici` by a module without pools.
 */
import { createRequire } from 'node:module'
import type Undici from 'undici/index.js'

const require = createRequire(import.meta.url)
// undici exports each under this name, with its types for the whole package only.
const dispatcher = require('undici/lib/dispatcher/dispatcher.js') as typeof Undici.Dispatcher
// As undici/index.js does: dispatchers get `request`, `stream` and others from there.
Object.assign(dispatcher.prototype, require('undici/lib/api/index.js'))

/** Connections to any origin. */
export const Agent = require('undici/lib/dispatcher/agent.js') as typeof Undici.Agent
export type Agent = Undici.Agent
/** Connections to one origin. */
export const ConnectionPool = require('undici/lib/dispatcher/pool.js') as typeof Undici.Pool
export type ConnectionPool = Undici.Pool
/** Creates a function that opens sockets, with TLS options. */
export const buildConnector = require('undici/lib/core/connect.js') as typeof Undici.buildConnector

/** Options of a request: those of undici, with the connections that it uses. */
type RequestOptions = Omit<Undici.Dispatcher.RequestOptions, 'origin' | 'path' | 'method'> & {
  readonly method?: Undici.Dispatcher.HttpMethod
  readonly dispatcher: Undici.Dispatcher
}

/** Sends a request; rejects for an invalid URL. Default method: GET. */
export async function request(
  url: string | URL,
  { dispatcher, method = 'GET', ...options }: RequestOptions,
): Promise<Undici.Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(url)
  return dispatcher.request({ ...options, origin, path: pathname + search, method })
}
