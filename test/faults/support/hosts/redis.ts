import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import type { Environment, Program } from '../../../../composition/cluster/child-program.ts'
import type { Host } from './network.ts'

const PORT = 6379
const SENTINEL_PORT = 26379
/** Time without an answer after which a Sentinel calls a master down. */
const DOWN_AFTER_MS = 1_000

type Start = (
  name: string,
  on: string,
  line: readonly string[],
  env: Environment,
  isReady: () => Promise<boolean>,
) => Promise<Program>

/** Servers of Redis, and the Sentinels that agree on which of them is the master. */
export type RedisHosts = {
  /** Name of the host that the first Sentinel that answers calls the master. */
  readonly master: () => Promise<string>
}

/**
 * One Redis on the first host; with three hosts, a replica of it on the second one, and a Sentinel
 * on each.
 */
export async function startRedis(
  hosts: readonly Host[],
  { folder, start }: { readonly folder: string; readonly start: Start },
): Promise<RedisHosts> {
  const [first, second] = hosts
  if (!first) throw new Error('Expected a host for Redis.')
  const answers = ({ address }: Host, port: number) => withRedis(address, port, async (redis) => (await redis.ping()) === 'PONG')
  for (const host of second ? [first, second] : [first]) {
    const own = join(folder, host.name)
    mkdirSync(own)
    const line = [
      'redis-server',
      '--port',
      `${PORT}`,
      '--bind',
      host.address,
      '--protected-mode',
      'no',
      '--save',
      '',
      '--dir',
      own,
    ]
    if (host !== first) line.push('--replicaof', first.address, `${PORT}`)
    await start(host.name, host.name, [...line, '--repl-diskless-sync-delay', '0'], {}, () => answers(host, PORT))
  }
  if (second) {
    for (const host of hosts) {
      const file = join(folder, `sentinel-${host.name}.conf`)
      writeFileSync(
        file,
        `port ${SENTINEL_PORT}
bind ${host.address}
protected-mode no
sentinel monitor atrium ${first.address} ${PORT} 2
sentinel down-after-milliseconds atrium ${DOWN_AFTER_MS}
sentinel failover-timeout atrium 5000
`,
      )
      const name = `sentinel-${host.name}`
      await start(name, host.name, ['redis-server', file, '--sentinel'], {}, () => answers(host, SENTINEL_PORT))
    }
  }
  return {
    async master() {
      const said = await Promise.any(
        hosts.map(({ address }) =>
          withRedis(address, SENTINEL_PORT, (redis) => redis.call('SENTINEL', 'get-master-addr-by-name', 'atrium')),
        ),
      )
      // A cast: the answer of this command is a list of host and port.
      const [address] = said as readonly string[]
      return hosts.find((host) => host.address === address)?.name ?? `${address}`
    },
  }
}

/** Section of HAProxy that leads to the master: a former one that is back is a replica at once. */
export const redisBalancerConfig = (address: string, servers: readonly Host[]): string => `
listen redis
  mode tcp
  bind ${address}:${PORT}
  balance first
  timeout client 24d
  timeout server 24d
  option tcp-check
  tcp-check connect
  tcp-check send "info replication\\r\\n"
  tcp-check expect string role:master
  default-server on-marked-down shutdown-sessions
${servers.map((server) => `  server ${server.name} ${server.address}:${PORT}\n`).join('')}`

async function withRedis<Result>(host: string, port: number, work: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis({ host, port, lazyConnect: true, retryStrategy: null, connectTimeout: 1_000, commandTimeout: 1_000 })
  redis.on('error', () => {})
  try {
    await redis.connect()
    return await work(redis)
  } finally {
    redis.disconnect()
  }
}
