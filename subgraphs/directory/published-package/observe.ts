import type { Logger } from 'pino'
import type { PackageRegistry } from '#generated/directory/resolvers.ts'
import type { HttpClient } from '../../../platform/outbound/http-client.ts'
import { withImportClient } from '../import/store-findings.ts'
import { update } from '../import/update.ts'
import { packageKey } from '../item/package-name.ts'
import { concernsAll, type Request, RunFault, requester } from '../source/request.ts'
import type { DuePackage, PackageAnswer } from './facts.ts'
import { downloadGroups, fetchNpmDownloads, fetchNpmPackage } from './npm.ts'
import { fetchAdvisories, type PackageVersion } from './osv.ts'
import { fetchPypiPackage } from './pypi.ts'
import { mergedFacts, type Observed, type ObservedPackage, type PackageRepository, savePackages } from './repository.ts'

/** How the registries of packages are used. */
export type PackageSettings = {
  readonly npmUrl: string
  /** Where npm counts downloads. */
  readonly npmDownloadsUrl: string
  readonly pypiUrl: string
  /** Where advisories about packages are; null: they are not looked up. */
  readonly osvUrl: string | null
  /** 0: they are not. */
  readonly packagesPerHour: number
}

export type PackageDeps = {
  readonly connection: Parameters<typeof withImportClient>[0]['connection']
  readonly packages: PackageRepository
  readonly http: HttpClient
  readonly settings: PackageSettings
  readonly now: () => Date
  readonly signal: AbortSignal
  readonly log: Logger
}

/** What came of a turn; `pauses`: seconds for which nothing is to be requested of a registry. */
export type PackageReport = {
  readonly observed: number
  readonly changed: number
  readonly pauses: Readonly<Partial<Record<PackageRegistry, number>>>
}

/** Packages that a turn has not come to by then are of the next one: jobs have half an hour. Milliseconds. */
const MAX_TURN_MS = 900_000
/** Wait after an answer that wants fewer requests and does not say for how long, or after none. Seconds. */
const DEFAULT_PAUSE_SECONDS = 900

/**
 * Observes packages, and gives the servers that they name as their source what counts. A registry that
 * fails does not keep the other from being observed. Rejects when the database fails or `signal` aborts.
 */
export async function observePackages(due: readonly DuePackage[], deps: PackageDeps): Promise<PackageReport> {
  const { packages, http, settings, now, signal } = deps
  // The budget of the hour is counted in the table: a package is observed once, without a further try.
  const budget = { spend: () => {}, state: () => ({ since: now(), requests: 0 }) }
  const request = requester(http, { budget, signal, pausesMs: [] })
  const pauses: Partial<Record<PackageRegistry, number>> = {}
  const found: ObservedPackage[] = []
  const missing: DuePackage[] = []
  const counted: string[] = []
  let observed = 0
  const begun = now().getTime()
  for (const one of due) {
    signal.throwIfAborted()
    if (now().getTime() - begun > MAX_TURN_MS) break
    if (pauses[one.registry] !== undefined) continue
    const { answer, pauseSeconds, isLimited } = await attempt(packageKey(one), () => read(one, request, deps), deps)
    if (pauseSeconds !== null) pauses[one.registry] = pauseSeconds
    // Nothing was learned of it: it is due when the pause ends. Another fault may be of this one alone.
    if (isLimited) continue
    if (pauseSeconds === null) observed += 1
    if (answer?.kind === 'found') found.push({ ...one, etag: answer.etag, facts: answer.facts })
    else if (answer?.kind === 'missing') missing.push(one)
    else await packages.storeAttempt(one, answer?.kind === 'same', now())
    if (one.registry === 'NPM' && (answer?.kind === 'found' || answer?.kind === 'same')) counted.push(one.name)
  }
  const downloads = new Map<string, number>()
  for (const names of downloadGroups(counted)) {
    if (pauses.NPM !== undefined || now().getTime() - begun > MAX_TURN_MS) break
    const options = { url: settings.npmDownloadsUrl, request }
    const { answer, pauseSeconds } = await attempt(`downloads of ${names[0]}`, () => fetchNpmDownloads(names, options), deps)
    if (pauseSeconds !== null) pauses.NPM = pauseSeconds
    for (const [name, count] of answer ?? []) downloads.set(name, count)
  }
  const isNew = found.length + missing.length + downloads.size > 0
  const changed = isNew ? await storeFacts(due, { found, missing, downloads }, deps) : 0
  if (settings.osvUrl !== null) await observeAdvisories(due, settings.osvUrl, request, deps)
  return { observed, changed, pauses }
}

/** Looks up what is said against the newest versions. Items take none of it: it is evidence about them. */
async function observeAdvisories(due: readonly DuePackage[], url: string, request: Request, deps: PackageDeps): Promise<void> {
  const known = await deps.packages.findByKeys(due.map(packageKey))
  const versions = known.flatMap(({ registry, name, version }): PackageVersion[] =>
    version === null ? [] : [{ registry, name, version }],
  )
  if (versions.length === 0) return
  const { answer } = await attempt('advisories of OSV', () => fetchAdvisories(versions, { url, request }), deps)
  if (answer !== null) await deps.packages.storeAdvisories(versions, answer)
}

const read = (one: DuePackage, request: Request, { settings, now }: PackageDeps): Promise<PackageAnswer> =>
  one.registry === 'NPM'
    ? fetchNpmPackage(one, { url: settings.npmUrl, request, now: now() })
    : fetchPypiPackage(one, { url: settings.pypiUrl, request, now: now() })

/** What came of requests; `answer` null: they failed. `isLimited`: the registry wants fewer. */
type Attempt<Answer> = { readonly answer: Answer | null; readonly pauseSeconds: number | null; readonly isLimited: boolean }

async function attempt<Answer>(
  name: string,
  work: () => Promise<Answer>,
  { signal, log }: Pick<PackageDeps, 'signal' | 'log'>,
): Promise<Attempt<Answer>> {
  try {
    return { answer: await work(), pauseSeconds: null, isLimited: false }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof RunFault)) throw error
    log.warn({ package: name, problem: error.problem, reason: error.message }, 'a package could not be observed')
    const isLimited = error.problem === 'RATE_LIMITED'
    const isPaused = isLimited || concernsAll(error)
    return { answer: null, pauseSeconds: isPaused ? (error.retryAfterSeconds ?? DEFAULT_PAUSE_SECONDS) : null, isLimited }
  }
}

/** Stores what is new, and merges it into the items where they take of it; returns how many changed. */
async function storeFacts(
  due: readonly DuePackage[],
  observed: Observed,
  { connection, log, now, signal }: PackageDeps,
): Promise<number> {
  const at = now()
  return withImportClient({ connection, log }, async (client) => {
    const before = await mergedFacts(client, due)
    await savePackages(client, observed, at)
    const after = await mergedFacts(client, due)
    if ([...after].every(([key, facts]) => before.get(key) === facts)) return 0
    const findings = { contributions: [], scopes: [], skipped: [], unreadable: [], counts: [], unattended: null }
    const { updated } = await update(client, findings, { now: at, signal, onStep: () => {} })
    return updated
  })
}
