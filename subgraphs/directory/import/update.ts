import { lstatSync } from 'node:fs'
import { join, sep } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { Skip } from './contribution.ts'
import { DropRefused, isDrop } from './drop.ts'
import type { Findings, Unattended } from './findings.ts'
import { assignKeys, successorsOf } from './key.ts'
import { merge } from './merge.ts'
import { plainFolder } from './origin.ts'
import type { ImportReport } from './report.ts'
import { faultOf, type Row, rowOf } from './row.ts'
import * as store from './store.ts'
import { FOREIGN, type WalkScope } from './walk.ts'

type Options = {
  readonly now: Date
  readonly signal: AbortSignal
  readonly onStep: (done: number, total: number) => void
}

/** What storing it changed. */
export type UpdateResult = Pick<
  ImportReport,
  'imported' | 'updated' | 'unchanged' | 'removed' | 'merged' | 'retained' | 'skipped' | 'totals' | 'revision'
>

const STEP_COUNT = 6

const NO_CHANGE = { imported: 0, updated: 0, unchanged: 0, removed: 0, merged: 0, skipped: [] }

type Source = { readonly origin: string; readonly path: string }
type Stored = Awaited<ReturnType<typeof store.addressesOf>>[number]

/** How often to ask whether another import has ended. Milliseconds. */
const TURN_POLL_MS = 200

/** Waits for the turn, which a transaction may take again. Throws the signal's reason. */
export async function waitForTurn(client: pg.ClientBase, signal: AbortSignal): Promise<void> {
  while (!(await store.takeTurn(client))) await pause(TURN_POLL_MS, undefined, { signal })
}

/**
 * Brings the tables up to what was found. Runs inside the caller's transaction; throws the signal's
 * reason between two steps.
 */
export async function update(client: pg.ClientBase, findings: Findings, { now, signal, onStep }: Options): Promise<UpdateResult> {
  let done = 0
  const step = (): void => {
    signal.throwIfAborted()
    onStep(done, STEP_COUNT)
    done += 1
  }
  step()
  await waitForTurn(client, signal)
  if (findings.unattended && !(await store.hasSource(client, findings.unattended.source)))
    throw new Error('The source was removed while it was read.')
  const revision = await store.nextRevision(client)
  await store.saveStars(client, findings.counts)
  step()
  const { retained: stored, vanished } = await removeVanished(client, findings)
  const neighbours = findings.unattended?.neighbours
  const saved = await store.saveContributions(client, findings.contributions, (await neighbours?.roots(client)) ?? [])
  if (vanished > 0) await neighbours?.reread(client, now)
  step()
  // A run that found nothing new need not merge everything again.
  if (findings.unattended && vanished + saved === 0) {
    const totals = await store.countItems(client)
    return { ...NO_CHANGE, retained: stored, totals, revision: String(BigInt(revision) - 1n) }
  }
  const contributions = await store.allContributions(client)
  const [stars, archived] = [await store.allStars(client), await store.allArchived(client)]
  const { items, skipped } = merge(
    contributions,
    stars,
    archived,
    await store.allLicenses(client),
    await store.allPackages(client),
  )
  step()
  await store.renameIdentities(client, successorsOf(items, await store.allKeys(client)))
  const keys = assignKeys(items, await store.allKeys(client))
  const rows: Row[] = []
  const faulty: Skip[] = []
  for (const item of items) {
    const row = rowOf(item, keys.get(item) ?? item.wantedKey)
    const fault = faultOf(row)
    const { origin, path, locator } = item.from
    if (fault === null) rows.push(row)
    else faulty.push({ origin, path, line: null, reason: `${locator} ${fault}`.trim() })
  }
  step()
  const { added, updated } = await store.saveItems(client, rows, { revision, now })
  const removed = await store.buryOthers(client, rows, { revision, now })
  const changed = added + updated + removed > 0
  if (changed) await store.publishRevision(client, now)
  step()
  const totals = await store.countItems(client)
  // The last moment: what follows is the commit.
  signal.throwIfAborted()
  onStep(STEP_COUNT, STEP_COUNT)
  const read = new Set(findings.contributions.map(({ contribution: { origin, path } }) => `${origin}\n${path}`))
  return {
    imported: added,
    updated,
    unchanged: rows.length - added - updated,
    removed,
    merged: contributions.length - items.length - skipped.length,
    retained: stored,
    skipped: [...skipped, ...faulty].filter(({ origin, path }) => read.has(`${origin}\n${path}`)),
    totals,
    revision: changed ? revision : String(BigInt(revision) - 1n),
  }
}

/**
 * Deletes what this run looked for and did not find; returns what it could not look into, and
 * therefore kept. Throws DropRefused.
 */
async function removeVanished(
  client: pg.ClientBase,
  findings: Findings,
): Promise<{ readonly retained: ImportReport['retained']; readonly vanished: number }> {
  const { unattended } = findings
  const origins = [...new Set(findings.scopes.map(({ origin }) => origin))]
  const below = findings.scopes.filter(({ origin }) => plainFolder(origin) !== null).map(({ origin }) => within(origin))
  // Repositories that lay below a folder that this run walked through.
  const walked = findings.scopes.filter(({ exact }) => !exact).map(({ root, prefix }) => within(join(root, prefix)))
  const found = new Set(findings.contributions.map(({ contribution }) => addressText(contribution)))
  const gone = new Map<string, boolean>()
  /**
   * A folder that is no longer there was moved to where this run found its origin; one that is
   * there holds its own part.
   */
  const isGone = (root: string): boolean => {
    const known = gone.get(root) ?? (!/^https?:/.test(root) && isMissing(root))
    gone.set(root, known)
    return known
  }
  const isLookedFor = (address: Stored): boolean =>
    findings.scopes.some(
      (scope) =>
        liesBelow(scope, address.origin) ||
        (walked.some((folder) => startsBelow(folder, address.root)) && isGone(address.root)) ||
        (covers(scope, address) && (scope.root === address.root || isGone(address.root))),
    )
  const unreadable = new Set(unattended?.unreadableRecords.map(addressText))
  const isRetained = (address: Stored): boolean =>
    unreadable.has(addressText(address)) ||
    findings.unreadable.some((source) => isWithin(source, address)) ||
    (address.name !== null && unattended?.unreadableNames.has(address.name) === true)
  const lookedFor = (await store.addressesOf(client, origins, below, walked)).filter(isLookedFor)
  const vanished: Stored[] = []
  const cached = new Map<string, { origin: string; path: string; records: number }>()
  for (const address of lookedFor) {
    if (found.has(addressText(address))) continue
    if (!isRetained(address)) {
      vanished.push(address)
      continue
    }
    const id = `${address.origin}\n${address.path}`
    cached.set(id, { origin: address.origin, path: address.path, records: (cached.get(id)?.records ?? 0) + 1 })
  }
  if (unattended) {
    vanished.push(...(await store.addressesOfNames(client, unattended.root, unattended.withdrawn)))
    assertNoDrop(findings, unattended, { vanished, stored: await store.countRecordsOf(client, unattended.root) })
  }
  await store.deleteContributions(client, vanished)
  const retained = [...cached.values()].sort((one, other) => (one.origin + one.path < other.origin + other.path ? -1 : 1))
  return { retained, vanished: vanished.length }
}

/** Throws DropRefused where more is gone than a run that nobody watches may remove. */
function assertNoDrop(
  { contributions }: Findings,
  { acceptsDrop }: Unattended,
  { vanished, stored }: { readonly vanished: readonly Stored[]; readonly stored: number },
): void {
  // What is stored under another address is not gone.
  const found = new Set(contributions.map(({ contribution: { statement } }) => statement.identity))
  const lost = vanished.filter(({ identity }) => !found.has(identity)).length
  if (!acceptsDrop && isDrop(lost, stored)) throw new DropRefused(lost, stored)
}

const addressText = ({ origin, path, locator }: store.Address): string => `${origin}\n${path}\n${locator}`

function covers({ origin, prefix, exact }: WalkScope, address: store.Address): boolean {
  return address.origin === origin && (exact ? address.path === prefix : address.path.startsWith(prefix))
}

/**
 * Whether an origin is a plain folder below the one that a run walked through. Each import path
 * without a repository is an origin of its own, so what a folder inside was once imported as is
 * found again under the wider one, or not at all.
 */
function liesBelow({ origin, exact }: WalkScope, other: string): boolean {
  if (exact || plainFolder(origin) === null || !other.startsWith(within(origin))) return false
  return !other
    .slice(within(origin).length)
    .split(sep)
    .some((name) => FOREIGN.has(name))
}

/** Whether nothing is there; false also for what cannot be looked at. */
function isMissing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** Whether a folder lies below another, and in none that imports leave out. */
const startsBelow = (folder: string, root: string): boolean =>
  root.startsWith(folder) &&
  !root
    .slice(folder.length)
    .split(sep)
    .some((name) => FOREIGN.has(name))

/** How origins of folders inside of this one begin: `/a/bc` is not in `/a/b`. */
const within = (origin: string): string => (origin.endsWith(sep) ? origin : `${origin}${sep}`)

/** A source is a file, or a folder with a final `/`; the empty path is a whole origin. */
function isWithin(source: Source, address: Source): boolean {
  const [wide, narrow] = [placed(source), placed(address)]
  if (wide.origin !== narrow.origin) return false
  return wide.path === '' || wide.path === narrow.path || (wide.path.endsWith('/') && narrow.path.startsWith(wide.path))
}

/**
 * Files of plain folders by where they lie: what one run calls `b/x` in `/a`, another has called
 * `x` in `/a/b`.
 */
function placed({ origin, path }: Source): Source {
  const folder = plainFolder(origin)
  return folder === null ? { origin, path } : { origin: '', path: join(folder, path || './').replaceAll(sep, '/') }
}
