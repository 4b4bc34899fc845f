import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { OperatorError } from '../../../platform/process/operator-error.ts'
import type { LastGoodFile } from './last-good-file.ts'
import { type FetchedSupergraph, SourceError, type SupergraphSource } from './source.ts'

/** Maximum delay after failures, unless the poll interval is longer. Seconds. */
const MAX_BACKOFF_SECONDS = 300
/** Random share of a delay, so that instances do not poll at the same moment. */
const JITTER_RATIO = 0.1

/** A changed file is read after it has not changed for this time. */
const SETTLE_MS = 200

/** A source that is being followed. */
export type FollowedSupergraph = {
  /** Fetches at once, and serves the supergraph even when unchanged. */
  readonly reload: () => void
  /** Stops polling; resolves when nothing is running. */
  readonly close: () => Promise<void>
}

/** How to use the supergraphs of a source. */
export type FollowOptions = {
  readonly source: SupergraphSource
  readonly lastGood: LastGoodFile | null
  /**
   * Serves a supergraph. Rejects with an `OperatorError`, without any change, when it is invalid.
   * Calls do not overlap.
   */
  readonly accept: (sdl: string) => Promise<void>
  readonly log: Logger
}

/**
 * Serves the supergraph of a source and polls for new ones. While the source fails or returns an
 * invalid supergraph, the previous one stays, and the source is polled with backoff. If the first
 * fetch fails, serves the last good supergraph from disk; rejects with an `OperatorError` without
 * one.
 */
export async function followSupergraph({ source, lastGood, accept, log }: FollowOptions): Promise<FollowedSupergraph> {
  const ended = new AbortController()
  let woken = Promise.withResolvers<void>()
  let failures = 0
  let delaySeconds = await begin()
  let settling: NodeJS.Timeout | undefined
  const unwatch = source.watch?.(() => {
    clearTimeout(settling)
    settling = setTimeout(() => woken.resolve(), SETTLE_MS).unref()
  })
  const running = poll()

  return {
    reload() {
      source.forget()
      woken.resolve()
    },
    async close() {
      ended.abort()
      unwatch?.()
      clearTimeout(settling)
      woken.resolve()
      await running
    },
  }

  /** Serves the first supergraph; returns the delay before the next fetch. */
  async function begin(): Promise<number> {
    try {
      const first = await source.fetch(ended.signal)
      if (first.sdl === null) throw new SourceError(`${source.description}: expected a supergraph, got none.`)
      await serve(first.sdl)
      return pauseAfter(source, first)
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      const stored = await lastGood?.read()
      if (!stored) throw error
      const { sdl, writtenAt } = stored
      await accept(sdl).catch((refusal: unknown) => {
        log.error({ file: lastGood?.path, reason: messageOf(refusal) }, 'the last good supergraph cannot be served either')
        throw error
      })
      const details = { source: source.description, reason: error.message, file: lastGood?.path, writtenAt }
      log.warn(details, 'the source has no supergraph that can be served; the last good one is served')
      return pauseAfterFailure(error)
    }
  }

  async function poll(): Promise<void> {
    while (!ended.signal.aborted) {
      await pause()
      if (ended.signal.aborted) return
      try {
        const next = await source.fetch(ended.signal)
        if (failures > 0) log.info({ source: source.description }, 'the source of the supergraph answers again')
        failures = 0
        delaySeconds = pauseAfter(source, next)
        if (next.sdl !== null) await replace(next.sdl)
      } catch (error) {
        if (ended.signal.aborted) return
        delaySeconds = pauseAfterFailure(error)
        const details = { source: source.description, failures, reason: messageOf(error) }
        if (error instanceof OperatorError) log.warn(details, 'the source gave no supergraph; the one before stays')
        else log.error({ ...details, err: error }, 'looking for a supergraph failed; the one before stays')
      }
    }
  }

  /** Serves a new supergraph. An invalid one is not tried again until the source has another. */
  async function replace(sdl: string): Promise<void> {
    try {
      await serve(sdl)
      log.info({ source: source.description }, 'the supergraph was replaced')
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      log.error({ source: source.description, reason: error.message }, 'a new supergraph was refused; the one before stays')
    }
  }

  async function serve(sdl: string): Promise<void> {
    await accept(sdl)
    await lastGood?.write(sdl).catch((error: unknown) => warnUnwritten(log, lastGood.path, error))
  }

  async function pause(): Promise<void> {
    const over = new AbortController()
    const milliseconds = 1000 * delaySeconds * (1 + JITTER_RATIO * (2 * Math.random() - 1))
    const options = { signal: over.signal, ref: false }
    await Promise.race([woken.promise, sleep(milliseconds, undefined, options).catch(() => {})])
    over.abort()
    woken = Promise.withResolvers()
  }

  function pauseAfterFailure(error: unknown): number {
    failures++
    const backoff = Math.min(source.pollSeconds * 2 ** Math.min(failures - 1, 10), MAX_BACKOFF_SECONDS)
    const wanted = error instanceof SourceError ? (error.retryAfterSeconds ?? 0) : 0
    return Math.max(source.pollSeconds, backoff, wanted)
  }
}

/** Delay after a successful fetch, in seconds. */
const pauseAfter = ({ pollSeconds }: SupergraphSource, { minDelaySeconds = 0 }: FetchedSupergraph): number =>
  Math.max(pollSeconds, minDelaySeconds)

function warnUnwritten(log: FollowOptions['log'], file: string, error: unknown): void {
  log.warn({ file, reason: messageOf(error) }, 'the last good supergraph could not be written')
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
