import type { Logger } from 'pino'
import type { Connection } from '../../../platform/database/database.ts'
import type { HttpClient } from '../../../platform/outbound/http-client.ts'
import { withImportClient } from '../import/store-findings.ts'
import { update } from '../import/update.ts'
import { concernsAll, RunFault, requester } from '../source/request.ts'
import { dueRepositories } from './due.ts'
import { fetchRepository } from './github.ts'
import { type DueRepository, type ObservationRepository, type ObservedFacts, saveObservations } from './repository.ts'

export type ObserveDeps = {
  readonly connection: Connection
  readonly observations: ObservationRepository
  readonly http: HttpClient
  readonly github: GithubSettings
  readonly now: () => Date
  readonly signal: AbortSignal
  readonly log: Logger
}

/** How GitHub's API is used. */
export type GithubSettings = {
  readonly apiUrl: string
  readonly token: string | null
  /** 0: it is not. */
  readonly requestsPerHour: number
}

/** What came of a turn; `pauseSeconds`: nothing is to be requested for so long. */
export type ObserveReport = { readonly observed: number; readonly changed: number; readonly pauseSeconds: number }

/** Wait after an answer that wants fewer requests and does not say for how long, or after none. Seconds. */
const DEFAULT_PAUSE_SECONDS = 900

/** Observes the repositories that are due: `observeRepositories`. */
export const observeDue = async (deps: ObserveDeps): Promise<ObserveReport> =>
  observeRepositories(await dueRepositories(deps.github.requestsPerHour, deps), deps)

/**
 * Observes repositories, and gives the directory their stars and whether they are archived. Rejects
 * when the database fails or `signal` aborts.
 */
export async function observeRepositories(due: readonly DueRepository[], deps: ObserveDeps): Promise<ObserveReport> {
  const { signal } = deps
  const found: ObservedFacts[] = []
  let [observed, pauseSeconds] = [0, 0]
  for (const repository of due) {
    signal.throwIfAborted()
    const result = await observeOne(repository, deps)
    if (typeof result === 'number') {
      pauseSeconds = result
      break
    }
    observed += 1
    if (result) found.push(result)
  }
  const changed = found.length === 0 ? 0 : await storeFacts(found, deps)
  return { observed, changed, pauseSeconds }
}

/** What is new; null for nothing; a number: the seconds of a pause that GitHub wants. */
async function observeOne({ repository, etag }: DueRepository, deps: ObserveDeps): Promise<ObservedFacts | null | number> {
  const { observations, http, github, now, signal, log } = deps
  // The budget of the hour is counted in the table: one request for a repository, and no further try.
  const budget = { spend: () => {}, state: () => ({ since: now(), requests: 0 }) }
  const request = requester(http, { budget, signal, pausesMs: [] })
  try {
    const answer = await fetchRepository(repository, { ...github, etag, request })
    if (answer.kind === 'found') return { ...answer, repository }
    await observations.storeAttempt(repository, answer.kind === 'same', now())
    return null
  } catch (error) {
    if (!(error instanceof RunFault)) throw error
    log.warn({ repository, problem: error.problem, reason: error.message }, 'a repository could not be observed')
    if (error.problem === 'RATE_LIMITED') return error.retryAfterSeconds ?? DEFAULT_PAUSE_SECONDS
    await observations.storeAttempt(repository, false, now())
    // Each further one would be left alone for a day, too.
    return concernsAll(error) ? (error.retryAfterSeconds ?? DEFAULT_PAUSE_SECONDS) : null
  }
}

/** Stores what is new and merges it into the items, in one transaction; returns how many changed. */
async function storeFacts(found: readonly ObservedFacts[], { connection, log, now, signal }: ObserveDeps): Promise<number> {
  const at = now()
  const asOf = at.toISOString().slice(0, 10)
  const counts = found.map(({ repository, stars }) => ({ repository, stars, asOf }))
  return withImportClient({ connection, log }, async (client) => {
    await saveObservations(client, found, at)
    const findings = { contributions: [], scopes: [], skipped: [], unreadable: [], counts, unattended: null }
    const { updated } = await update(client, findings, { now: at, signal, onStep: () => {} })
    return updated
  })
}
