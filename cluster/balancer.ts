/** A process that a balancer sends requests to. */
export type Server = { readonly name: string; readonly port: number }

/** Servers that do the same, behind one port of the balancer. */
export type Pool = {
  readonly name: string
  readonly port: number
  /** Whether strangers come here, whose address the servers are told, and whose word about it is not believed. */
  readonly isPublic: boolean
  readonly servers: readonly Server[]
}

/** Between two looks at `/ready` of each server; a stop must take requests for longer than that. Milliseconds. */
export const CHECK_MILLISECONDS = 500

/**
 * The configuration of HAProxy for these pools on `host`: who is not ready gets no new requests, and what could not be sent to one server is sent to another. What was sent
 * is never sent twice. `statusPort` tells how the servers are doing, as CSV.
 */
export function balancerConfig(
  pools: readonly Pool[],
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
  option httpchk GET /ready
  default-server check inter ${CHECK_MILLISECONDS}ms fall 1 rise 1
${pools.map((pool) => poolConfig(pool, host)).join('')}
listen status
  bind ${host}:${statusPort}
  stats enable
  stats uri /
`
}

/** What only a proxy may say, strangers do not. */
const FROM_STRANGERS = `  http-request del-header x-forwarded- -m beg
  http-request del-header forwarded
  option forwardfor
`

const poolConfig = ({ name, port, isPublic, servers }: Pool, host: string): string => `
listen ${name}
  bind ${host}:${port}
${isPublic ? FROM_STRANGERS : ''}  balance leastconn
${servers.map((server) => `  server ${server.name} ${host}:${server.port}\n`).join('')}`

/** Whether the balancer sends requests to each server, by name, as its status page tells. */
export function statesIn(csv: string): ReadonlyMap<string, boolean> {
  const [head = '', ...lines] = csv.trim().split('\n')
  const column = (name: string) => head.replace(/^# /, '').split(',').indexOf(name)
  const [name, status] = [column('svname'), column('status')]
  return new Map(lines.map((line) => line.split(',')).map((cells) => [cells[name] ?? '', cells[status] === 'UP']))
}
