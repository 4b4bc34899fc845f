import { createHash, hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { QueryPlan } from '@apollo/query-planner'
import type { DocumentNode } from 'graphql'
import type { StoredSchema } from './stored-schema.ts'

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
  /** Stored schema of this graph; null when there is none. */
  readonly schema: () => StoredSchema | null
  /** Stores the schema that `make` returns, with the next plans or soon. */
  readonly addSchema: (make: () => StoredSchema) => void
}

/** Stores nothing. */
export const EMPTY_PLAN_STORE: PlanStore = { isEmpty: true, find: () => null, add() {}, schema: () => null, addSchema() {} }

/** Delay before a write, so that plans added in quick succession are written together. */
const WRITE_DELAY_MS = 300
/** Upper bound of stored graphs: this version's, and the most recently written others. */
const MAX_GRAPHS = 8

/** Increment when the format of stored plans or of the stored schema changes, or how they are made. */
const FORMAT_VERSION = 3

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
  const schemaFile = join(folder, `${graph}.schema`)
  let added: Record<string, StoredPlan> = {}
  let schemaToAdd: (() => StoredSchema) | null = null
  let writing: NodeJS.Timeout | undefined

  return {
    isEmpty: Object.keys(before).length === 0,
    find: (document) => before[keyOf(document)] ?? null,
    add(document, known) {
      added[keyOf(document)] = known
      writeSoon()
    },
    schema: () => readWhole<StoredSchema>(schemaFile),
    addSchema(make) {
      schemaToAdd = make
      writeSoon()
    },
  }

  function writeSoon(): void {
    clearTimeout(writing)
    writing = setTimeout(write, WRITE_DELAY_MS).unref()
  }

  function write(): void {
    // Merged with the file, because processes that start at the same time write to it too.
    if (Object.keys(added).length > 0) replace(file, JSON.stringify({ ...plansIn(file), ...added }))
    added = {}
    if (schemaToAdd) replace(schemaFile, whole(JSON.stringify(schemaToAdd())))
    schemaToAdd = null
  }

  function replace(path: string, text: string): void {
    const own = `${path}.${process.pid}`
    try {
      mkdirSync(folder, { recursive: true })
      writeFileSync(own, text)
      renameSync(own, path)
      deleteOldGraphs()
    } catch {
      discard(own)
    }
  }

  /** A graph has a file of plans and one of its schema. */
  function deleteOldGraphs(): void {
    const files = readdirSync(folder).map((name) => ({ name, writtenAt: statSync(join(folder, name)).mtimeMs }))
    const graphOf = (name: string): string => name.split('.', 1)[0] ?? ''
    const graphs = new Set(files.sort((one, other) => other.writtenAt - one.writtenAt).map(({ name }) => graphOf(name)))
    const youngest = new Set([...graphs].slice(0, MAX_GRAPHS))
    for (const { name } of files) if (!youngest.has(graphOf(name))) rmSync(join(folder, name), { force: true })
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

const plansIn = (file: string): Record<string, StoredPlan> => readJson(file) ?? {}

/** Object in a file of this module; null without one. */
const readJson = <Content extends object>(file: string): Content | null => readObject(file, (text) => text)

/** Object in a file that `whole` made; null when another program, or half of a write, made it. */
const readWhole = <Content extends object>(file: string): Content | null =>
  readObject(file, (content) => {
    const text = content.slice(content.indexOf('\n') + 1)
    return content === whole(text) ? text : ''
  })

/** A text behind a line with its hash: a start would end with an error at a schema that is none. */
const whole = (text: string): string => `${hash('sha256', text, 'base64url')}\n${text}`

function readObject<Content extends object>(file: string, textIn: (content: string) => string): Content | null {
  try {
    // Anything other than an object counts as nothing.
    const read: unknown = JSON.parse(textIn(readFileSync(file, 'utf8')))
    // A private file, written by this module with the same FORMAT_VERSION.
    return typeof read === 'object' && read !== null ? (read as Content) : null
  } catch {
    return null
  }
}
