import { z } from 'zod'

/** First in every backup: its format, and the program that can read it. */
export const MANIFEST = 'manifest.json'
/** How many rows, and how far the numbers of ids have come. */
export const TOTALS = 'totals.json'
/** Last in every backup, so that a truncated one is invalid: the input of `sha256sum -c`. */
export const SUMS = 'SHA256SUMS'

const table = z.object({ schema: z.string(), name: z.string(), columns: z.array(z.string()).readonly() })

export const manifest = z.object({
  format: z.literal('atrium-backup/1'),
  /** RFC 3339; the moment whose state this is. */
  takenAt: z.string(),
  postgres: z.string(),
  /** False: stored files were elsewhere, and are not here. */
  hasFiles: z.boolean(),
  migrations: z.array(z.object({ subgraph: z.string(), name: z.string(), checksum: z.string() })),
  tables: z.array(table).readonly(),
})
export type Manifest = z.infer<typeof manifest>

export const totals = z.object({
  /** By the label of the table. */
  rows: z.record(z.string(), z.number()),
  files: z.number(),
  sequences: z.array(z.object({ schema: z.string(), name: z.string(), lastValue: z.string(), isCalled: z.boolean() })),
})
export type Totals = z.infer<typeof totals>

/** `tables/store.product/000001.copy`: rows as COPY writes them as text, in pieces. */
export const piecePath = (label: string, piece: number): string => `tables/${label}/${String(piece).padStart(6, '0')}.copy`
export const PIECE = /^tables\/([\w.]+)\/\d{6,}\.copy$/
export const filePath = (key: string): string => `files/${key}`
export const FILE = /^files\/(.+)$/
