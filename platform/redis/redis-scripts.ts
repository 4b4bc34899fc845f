import type { Logger } from 'pino'

/** Time limits of a command and of connecting, and the pause after a failed command. */
const COMMAND_TIMEOUT_MS = 250
const CONNECT_TIMEOUT_MS = 1_000
const PAUSE_MS = 1_000

/** Lua scripts in Redis, while it is available. */
export type RedisScripts = {
  /** Runs a Lua script atomically; null while Redis is unavailable. Never rejects. */
  readonly run: (script: string, keys: readonly string[], values: readonly (string | number)[]) => Promise<unknown> | null
  readonly close: () => Promise<void>
}

/**
 * A connection that never blocks: while Redis is unavailable, `run` is null at once or after
 * `commandMilliseconds`. The log says so once, naming `purpose`.
 */
export async function redisScripts({
  url,
  purpose,
  log,
  commandMilliseconds = COMMAND_TIMEOUT_MS,
}: {
  readonly url: string
  /** Name for the log, such as "the cost budget". */
  readonly purpose: string
  readonly log: Logger
  readonly commandMilliseconds?: number
}): Promise<RedisScripts> {
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: commandMilliseconds,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 100, 2_000),
  })
  let isDown = false
  let pausedUntil = 0

  redis.on('error', onUnavailable)
  await redis.connect().catch(onUnavailable)

  return {
    run(script, keys, values) {
      if (redis.status !== 'ready' || performance.now() < pausedUntil) return null
      return redis.eval(script, keys.length, ...keys, ...values).then(
        (answer) => {
          onAvailable()
          return answer
        },
        (error: unknown) => {
          onUnavailable(error)
          pausedUntil = performance.now() + PAUSE_MS
          return null
        },
      )
    },
    close: async () => redis.disconnect(),
  }

  function onUnavailable(error: unknown): void {
    if (isDown) return
    isDown = true
    // Not the error itself: it may quote the URL with its password.
    log.warn({ reason: reasonOf(error) }, `Redis cannot be reached: this process counts ${purpose} by itself`)
  }

  function onAvailable(): void {
    if (!isDown) return
    isDown = false
    log.info(`Redis can be reached again: ${purpose} is shared`)
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? ('code' in error && typeof error.code === 'string' ? error.code : error.name) : 'unknown'
