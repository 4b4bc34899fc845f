import type { Parts } from '../support/parts.ts'

/** An operation and what the specification says to it; `errors` are the paths and codes expected. */
export type ThemeCase = {
  readonly query: string
  readonly variables?: Record<string, unknown>
  /** Absent where only errors matter. */
  readonly data?: unknown
  readonly errors?: readonly object[]
}

/** A theme of the public federation audit, by its name there, on a supergraph and data of our own. */
export type Theme = { readonly theme: string; readonly parts: Parts; readonly cases: readonly ThemeCase[] }

export type Row = Record<string, unknown>
export type Ref = { readonly id: string }

/** Marks SDL of federation 1, which links to nothing. */
export const FEDERATION_1 = '# federation 1\n'

/** Finds a row by any of these fields. */
export const by =
  (rows: readonly Row[], ...fields: readonly string[]) =>
  (reference: Row): Row | null =>
    rows.find((row) => fields.some((field) => reference[field] !== undefined && row[field] === reference[field])) ?? null

export const same = (reference: Row): Row => reference
