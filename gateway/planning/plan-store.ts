import { createHash, hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { QueryPlan } from '@apollo/query-planner'
import type { DocumentNode } from 'graphql'

/** The plan of a valid document. */
export type StoredPlan = {
  readonly plan: QueryPlan
  /**
   * Whether the document is also valid in the schema of the only subgraph that it fetches from;
   * null when not examined.
   */
  readonly isDirect: boolean | null
}

/**
 * Plans of documents of our own, from one start to the next: checking and planning the hundreds
 * that the facades have takes a second.
 */
export type PlanStore = {
  /** Whether no plan of this graph is stored. */
  readonly isEmpty: boolean
  /** The stored plan of an equal document; null when there is none. */
  readonly find: (document: DocumentNode) => StoredPlan | null
  readonly add: (document: DocumentNode, known: StoredPlan) => void
}

/** Keeps nothing. */
export const EMPTY_PLAN_STORE: PlanStore = { isEmpty: true, find: () => null, add: () => {} }

/** What is added in this time after another is written with it. Milliseconds. */
const WRITE_DELAY_MS = 300
/** Graphs whose plans are kept: that of this version, and those that were served or tried last. */
const MAX_GRAPHS = 8

/** Changes with what is written. */
const FORMAT_VERSION = 2

// Every package.json has a version.
const { version } = createRequire(import.meta.url)('@apollo/query-planner/package.json') as { readonly version: string }

/**
 * Plans for the graph of this SDL, that of the whole and those of its subgraphs, in `folder`,
 * writable only by users whose code may run here. Plans for another graph or by another version of
 * the planner are ignored. When the folder cannot be read or written, nothing is stored.
 */
export function createPlanStore(folder: string, sdl: string): PlanStore {
  const graph = createHash('sha256').update(`${FORMAT_VERSION} ${version}\n`).update(sdl).digest('base64url')
  const file = join(folder, `${graph}.json`)
  const before = plansIn(file)
  let added: Record<string, StoredPlan> = {}
  let writing: NodeJS.Timeout | undefined

  return {
    isEmpty: Object.keys(before).length === 0,
    find: (document) => before[keyOf(document)] ?? null,
    add(document, known) {
      added[keyOf(document)] = known
      clearTimeout(writing)
      writing = setTimeout(write, WRITE_DELAY_MS).unref()
    },
  }

  function write(): void {
    // Others that start at this moment add theirs.
    const text = JSON.stringify({ ...plansIn(file), ...added })
    added = {}
    const own = `${file}.${process.pid}`
    try {
      mkdirSync(folder, { recursive: true })
      writeFileSync(own, text)
      renameSync(own, file)
      const files = readdirSync(folder).map((name) => join(folder, name))
      const youngest = files.map((path) => ({ path, at: statSync(path).mtimeMs })).sort((one, other) => other.at - one.at)
      for (const { path } of youngest.slice(MAX_GRAPHS)) rmSync(path, { force: true })
    } catch {
      discard(own)
    }
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // There is not even a folder.
  }
}

/** Documents are generated, so equal ones are written alike. */
const keyOf = (document: DocumentNode): string => hash('sha256', JSON.stringify(document), 'base64url')

function plansIn(file: string): Record<string, StoredPlan> {
  try {
    // What was written is what `KnownPlan` says; anything else is nothing.
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'))
    // A private file, written by this function with the same FORMAT_VERSION.
    return typeof read === 'object' && read !== null ? (read as Record<string, StoredPlan>) : {}
  } catch {
    return {}
  }
}
