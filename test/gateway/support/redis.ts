import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { freePort } from '../../../gateway/listen.ts'

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
  const port = await freePort('127.0.0.1')
  let running: ChildProcess | null = null

  async function start(): Promise<void> {
    const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', '/tmp']
    running = spawn(REDIS, args, { stdio: 'ignore' })
    while (!(await answers(port))) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await start()

  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    async stop() {
      if (!running || running.exitCode !== null || running.signalCode !== null) return
      running.kill('SIGKILL')
      await once(running, 'exit')
    },
    freeze: () => void running?.kill('SIGSTOP'),
    resume: () => void running?.kill('SIGCONT'),
  }
}

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
