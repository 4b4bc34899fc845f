import { existsSync } from 'node:fs'
import { startProgram } from '../../support/program.ts'

export const REDIS = '/usr/bin/redis-server'

/** Whether tests with Redis can run; where REQUIRE_REDIS is set they run, and fail without it. */
export const hasRedis = existsSync(REDIS) || Boolean(process.env.REQUIRE_REDIS)

/** A Redis of the test's own, in memory only. */
export type RedisServer = {
  readonly url: string
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
  /** Stops answering, without closing anything; `resume` undoes it. */
  readonly freeze: () => void
  readonly resume: () => void
}

export async function redisServer(): Promise<RedisServer> {
  const begin = (options?: { readonly port: number }) =>
    startProgram(
      (at) => [REDIS, ['--port', `${at}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', '/tmp']],
      async ({ said }) => said().includes('Ready to accept connections'),
      options,
    )
  let running = await begin()

  return {
    url: `redis://127.0.0.1:${running.port}`,
    // Clients are to reconnect.
    async start() {
      running = await begin({ port: running.port })
    },
    stop: () => running.kill('SIGKILL'),
    freeze: () => void running.child.kill('SIGSTOP'),
    resume: () => void running.child.kill('SIGCONT'),
  }
}
