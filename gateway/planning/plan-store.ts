import { createHash, hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { QueryPlan } from '@apollo/query-planner'
import type { DocumentNode } from 'graphql'

/** Stored plan of a valid document. */
export type StoredPlan = {
  readonly plan: QueryPlan
  /**
   * Whether the document is valid for the schema of its only subgraph, so that it needs no
   * projection; null when unknown.
   */
  readonly isDirect: boolean | null
}

/**
 * Query plans of this installation's own documents, stored between starts, because validating and
 * planning the facades' hundreds of documents takes a second.
 */
export type PlanStore = {
  /** Whether no plan for this graph is stored. */
  readonly isEmpty: boolean
  /** Stored plan of an equal document; null when there is none. */
  readonly find: (document: DocumentNode) => StoredPlan | null
  readonly add: (document: DocumentNode, known: StoredPlan) => void
}

/** Stores nothing. */
export const EMPTY_PLAN_STORE: PlanStore = { isEmpty: true, find: () => null, add: () => {} }

/** Delay before a write, so that plans added in quick succession are written together. */
const WRITE_DELAY_MS = 300
/** Upper bound of stored graphs: this version's, and the most recently written others. */
const MAX_GRAPHS = 8

/** Increment when the format of stored plans changes. */
const FORMAT_VERSION = 2

// By npm's rules a package.json has a version.
const { version } = createRequire(import.meta.url)('@apollo/query-planner/package.json') as { readonly version: string }

/**
 * Plan store for the graph of `sdl` in `folder`, which must be writable by trusted users only.
 * Ignores plans of other graphs and planner versions. Without access to the folder nothing is
 * stored.
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
    // Merged with the file, because processes that start at the same time write to it too.
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
    // The folder does not exist either.
  }
}

/** Documents are generated, so equal documents have equal JSON. */
const keyOf = (document: DocumentNode): string => hash('sha256', JSON.stringify(document), 'base64url')

function plansIn(file: string): Record<string, StoredPlan> {
  try {
    // Anything other than an object counts as an empty store.
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'))
    // A private file, written by this function with the same FORMAT_VERSION.
    return typeof read === 'object' && read !== null ? (read as Record<string, StoredPlan>) : {}
  } catch {
    return {}
  }
}
