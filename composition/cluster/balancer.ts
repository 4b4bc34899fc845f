import { HEALTH_CHECK_ROLE } from '../../platform/database/embedded/authentication.ts'

/** A backend process of the balancer; without `host`, on that of the balancer. */
export type Server = { readonly name: string; readonly host?: string; readonly port: number }

/** Equivalent servers behind one port of the balancer. */
export type Pool = {
  readonly name: string
  readonly port: number
  /**
   * Whether clients connect directly: sets X-Forwarded-For, and removes forwarding headers of
   * clients.
   */
  readonly isPublic: boolean
  readonly servers: readonly Server[]
}

/** An address of PostgreSQL: the folder of a Unix socket, or a host with its port. */
type DatabaseAddress = { readonly socketFolder: string } | { readonly host: string; readonly port: number }

/** PostgreSQL servers: one primary, the others replicas. Health checks find out which is which. */
export type DatabaseServers = {
  readonly servers: readonly { readonly name: string; readonly address: DatabaseAddress }[]
  /** Where the balancer forwards to the primary and to a replica. */
  readonly primary: DatabaseAddress
  readonly replica: DatabaseAddress
  /**
   * Password of `HEALTH_CHECK_ROLE`; it is in the configuration file, which only this user can
   * read.
   */
  readonly checkPassword: string
}

/**
 * Interval of health checks, of `/ready` and of the databases. A stopping process must accept
 * requests for longer than this.
 */
export const CHECK_INTERVAL_MS = 500

/**
 * How long data may stay unacknowledged. A machine or a link that is gone closes no connection: what
 * waits for it ends after this time. It is on each server, because HAProxy 2.6 ignores it in
 * `default-server`.
 */
const UNACKNOWLEDGED = 'tcp-ut 4s'

/**
 * Each server once more, without health checks, for when none of a pool passes them: what fails the
 * checks of all copies (a shared dependency, a starved machine) often still lets them answer, and a
 * copy that answers says more than the balancer.
 */
const UNCHECKED = 'backup no-check'

/**
 * HAProxy configuration for these pools on `host`. A server that is not ready gets no new requests
 * while another one is. A failed connection is retried on another server; a request that was sent is
 * never retried. Errors are JSON. `statusPort` serves the state of all servers as CSV.
 */
export function balancerConfig(
  pools: readonly Pool[],
  databases: DatabaseServers | null,
  { host, statusPort }: { readonly host: string; readonly statusPort: number },
): string {
  return `defaults
  mode http
  timeout connect 2s
  timeout check 2s
  # Longer than the quarter of a minute between two signs of life on an idle stream.
  timeout client 60s
  timeout server 60s
  timeout tunnel 1h
  # A connection that fails before a request was sent is tried again, elsewhere.
  retries 3
  option redispatch 1
  # Also for the first request of a client: to take a connection costs a server more than to refuse what comes over it.
  http-reuse always
  # Of a machine that is gone: finds out within 4 seconds where nothing is unacknowledged.
  option srvtcpka
  srvtcpka-idle 2s
  srvtcpka-intvl 1s
  srvtcpka-cnt 2
  option httpchk GET /ready
  default-server check inter ${CHECK_INTERVAL_MS}ms fall 1 rise 1
${errors()}${pools.map((pool) => poolConfig(pool, host)).join('')}${databases ? databaseConfig('primary', 'f', databases) + databaseConfig('replica', 't', databases) : ''}
listen status
  bind ${host}:${statusPort}
  stats enable
  stats uri /
`
}

/** Removes forwarding headers of clients, which only this proxy may set. */
const STRIP_FORWARDED = `  http-request del-header x-forwarded- -m beg
  http-request del-header forwarded
  option forwardfor
`

const poolConfig = ({ name, port, isPublic, servers }: Pool, host: string): string => `
listen ${name}
  bind ${host}:${port}
${isPublic ? STRIP_FORWARDED : ''}  balance leastconn
  option allbackups
${servers.map((server) => serverLine(server.name, server, host, UNACKNOWLEDGED)).join('')}${servers
  .map((server) => serverLine(`${server.name}-unchecked`, server, host, `${UNACKNOWLEDGED} ${UNCHECKED}`))
  .join('')}`

const serverLine = (name: string, server: Server, host: string, options: string): string =>
  `  server ${name} ${server.host ?? host}:${server.port} ${options}\n`

/** Error messages: 502 connection lost, 503 no server reached, 504 server timed out. */
const ERROR_MESSAGES: Readonly<Record<number, string>> = {
  502: 'The connection was lost before the answer arrived: the request may have taken effect.',
  503: 'The service cannot answer this right now. Try again in a few seconds.',
  504: 'The answer did not arrive in time: the request may have taken effect.',
}

/** Error responses in the JSON format of Atrium's own servers. */
const errors = (): string =>
  Object.entries(ERROR_MESSAGES)
    .map(([status, message]) => {
      const body = JSON.stringify({ error: { code: 'UNAVAILABLE', message, details: {} } })
      return `  http-error status ${status} content-type application/json string '${body}' hdr retry-after 2\n`
    })
    .join('')

const addressOf = (address: DatabaseAddress): string =>
  'host' in address ? `${address.host}:${address.port}` : `unix@${address.socketFolder}/.s.PGSQL.5432`

/**
 * TCP proxy to the server whose `pg_is_in_recovery()` is `isInRecovery` (t or f), so that a
 * promoted replica is found within one or two checks. Connections to a server that fails the check
 * are closed at once. The timeout of 24 days (HAProxy's maximum) is for LISTEN connections, which
 * stay idle for hours.
 */
const databaseConfig = (
  name: 'primary' | 'replica',
  isInRecovery: 't' | 'f',
  { servers, checkPassword, [name]: bound }: DatabaseServers,
): string => `
listen ${name}
  mode tcp
  bind ${addressOf(bound)}${'host' in bound ? '' : ' mode 600'}
  balance first
  timeout client 24d
  timeout server 24d
  option tcp-check
  tcp-check connect
  tcp-check send-binary ${STARTUP}
  tcp-check expect binary ${PASSWORD_REQUEST}
  tcp-check send-binary ${hex(message('p', `${checkPassword}\0`))}
  tcp-check expect binary ${READY}
  tcp-check send-binary ${hex(message('Q', 'SELECT pg_is_in_recovery()\0'))}
  tcp-check expect binary ${hex(message('D', `\0\x01\0\0\0\x01${isInRecovery}`))}
  tcp-check send-binary ${hex(message('X', ''))}
  default-server on-marked-down shutdown-sessions
${servers.map((server) => `  server ${server.name} ${addressOf(server.address)}${'host' in server.address ? ` ${UNACKNOWLEDGED}` : ''}\n`).join('')}`

/** A PostgreSQL protocol message: type, length including its own four bytes, body. */
function message(type: string, bytes: string): Buffer {
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE(4 + bytes.length, 1)
  return Buffer.concat([head, Buffer.from(bytes, 'latin1')])
}

const hex = (bytes: Buffer): string => bytes.toString('hex')

/**
 * StartupMessage, protocol 3.0 (196608), as a role without privileges. The only message without a
 * type byte.
 */
const STARTUP = hex(message(' ', `\0\x03\0\0user\0${HEALTH_CHECK_ROLE}\0database\0postgres\0\0`).subarray(1))
/** AuthenticationCleartextPassword. */
const PASSWORD_REQUEST = hex(message('R', '\0\0\0\x03'))
/** ReadyForQuery, outside a transaction. */
const READY = hex(message('Z', 'I'))

/** Whether each server passes its health checks, by name, from the CSV of the status page. */
export function parseServerStates(csv: string): ReadonlyMap<string, boolean> {
  const [head = '', ...lines] = csv.trim().split('\n')
  const column = (name: string) => head.replace(/^# /, '').split(',').indexOf(name)
  const [name, status] = [column('svname'), column('status')]
  return new Map(lines.map((line) => line.split(',')).map((cells) => [cells[name] ?? '', cells[status] === 'UP']))
}
