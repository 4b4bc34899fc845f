export type RecordKind = 'PRODUCTS' | 'CUSTOMERS' | 'ORDERS'
export type RecordFormat = 'CSV' | 'JSON_LINES'

/** What is wrong in a row: its number from 1, the column of CSV or the path in JSON, and what was expected. */
export type RowError = { readonly row: number; readonly column: string; readonly message: string }

/** Result of one object of a file. */
export type RecordResult =
  | { readonly kind: 'created' | 'updated' | 'skipped' }
  | { readonly kind: 'failed'; readonly errors: readonly RowError[] }
