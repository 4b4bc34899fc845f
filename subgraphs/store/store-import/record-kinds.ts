import { ownValue } from '../../../platform/collections/lookup-table.ts'
import { customerKey, importCustomers } from '../customer-record/import.ts'
import { importOrders, type OrderImportOptions, orderKey } from '../order-record/import.ts'
import { importProducts, type ProductImportOptions, productKey } from '../product-record/import.ts'
import type { FileObject } from '../record-file/file-reader.ts'
import type { RecordKind, RecordResult } from '../record-file/record.ts'
import type { UnitOfWork } from '../write.ts'

/** How objects of a kind are read from files and written into a store. */
type KindOfRecords = {
  readonly reading: { readonly key: string; readonly hasManyRows: boolean }
  /** What identifies an object in its file, with the source of the import; empty: nothing does. */
  readonly keyOf: (object: FileObject, source: string) => string
  /** Rows that an object of JSON makes in the database, roughly. */
  readonly weightOf: (object: FileObject) => number
  readonly write: (
    unit: UnitOfWork,
    objects: readonly FileObject[],
    options: ProductImportOptions & OrderImportOptions,
  ) => Promise<readonly RecordResult[]>
}

const KINDS: Readonly<Record<RecordKind, KindOfRecords>> = {
  PRODUCTS: {
    reading: { key: 'Handle', hasManyRows: true },
    keyOf: productKey,
    weightOf: (object) => lengthOf(object, 'variants'),
    write: importProducts,
  },
  CUSTOMERS: {
    reading: { key: 'Email', hasManyRows: false },
    keyOf: customerKey,
    weightOf: () => 1,
    write: importCustomers,
  },
  ORDERS: {
    reading: { key: 'Name', hasManyRows: true },
    keyOf: orderKey,
    weightOf: (object) => lengthOf(object, 'lines'),
    write: importOrders,
  },
}

/** The kind of this name. */
export const recordKind = (kind: RecordKind): KindOfRecords => KINDS[kind]

/** Length of a list in an object of JSON; 1 for what is none. */
function lengthOf(object: FileObject, field: string): number {
  if (object.format !== 'JSON_LINES' || typeof object.value !== 'object' || object.value === null) return 1
  // Any JSON object.
  const found = ownValue(object.value as Readonly<Record<string, unknown>>, field)
  return Array.isArray(found) ? Math.max(1, found.length) : 1
}
