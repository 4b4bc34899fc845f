import type { RecordFormat, RecordKind } from '../record-file/record.ts'

type StoreImportStatus = 'RECEIVING' | 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'CANCELED' | 'FAILED'

/** Import of a file into a store. */
export type StoreImport = {
  readonly id: number
  readonly kind: RecordKind
  readonly format: RecordFormat
  readonly status: StoreImportStatus
  readonly isDryRun: boolean
  readonly overwrite: boolean
  /** Shop that orders come from; null: no import of orders. */
  readonly source: string | null
  /** Whether orders that are to be fulfilled reserve their stock. */
  readonly takesStock: boolean
  /** Whether webhooks and subscribers get the events of new orders. */
  readonly sendsEvents: boolean
  readonly fileName: string | null
  readonly byteCount: number
  readonly bytesRead: number
  /** Objects of the file that are done. */
  readonly processed: number
  readonly created: number
  readonly updated: number
  readonly skipped: number
  readonly failed: number
  readonly failure: string | null
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
}

/** Bytes of a file: 10,000 products of Shopify with long descriptions are some 50 MB. */
export const MAX_FILE_BYTES = 100_000_000
/** Bytes of a piece: with base64 and the rest of a request, less than the 100 kB that one may have. */
export const MAX_PIECE_BYTES = 65_536
/** Imports of a store that have not ended: their files are stored. */
export const MAX_OPEN_IMPORTS = 5
/** Stored errors of an import: nobody reads more, and `failed` counts all. */
export const MAX_STORED_ERRORS = 1_000
export const MAX_FILE_NAME_LENGTH = 255
/** Where orders come from when nobody says so. */
export const DEFAULT_SOURCE = 'import'

/** Whether it can still change. */
export const isOpen = (status: StoreImportStatus): boolean =>
  status === 'RECEIVING' || status === 'QUEUED' || status === 'RUNNING'
