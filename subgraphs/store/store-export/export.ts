import { CUSTOMER_CSV_HEADER, csvOfCustomer } from '../customer-record/customer-record.ts'
import { readCustomers } from '../customer-record/repository.ts'
import { csvOfOrder, jsonOfOrder, ORDER_CSV_HEADER } from '../order-record/order-record.ts'
import { readOrders } from '../order-record/repository.ts'
import { csvOfProduct, PRODUCT_CSV_HEADER } from '../product-record/csv.ts'
import { type PublicUrl, readProducts } from '../product-record/repository.ts'
import type { RecordFormat, RecordKind } from '../record-file/record.ts'
import { storeRepository } from '../store/repository.ts'
import type { StoreQuery } from '../write.ts'
import { type ExportedTable, idsAfter } from './repository.ts'

/** What an export reads. */
type ExportSource = StoreQuery & { readonly publicUrl: PublicUrl }

/** Lines of some objects, and the row of the last; null when there is none. */
type ExportedPage = { readonly text: string; readonly lastId: number | null; readonly hasNextPage: boolean }

type PageOf = (source: ExportSource, ids: readonly number[], format: RecordFormat) => Promise<string>

const KINDS: Readonly<Record<RecordKind, { readonly header: string; readonly table: ExportedTable; readonly linesOf: PageOf }>> =
  {
    PRODUCTS: { header: PRODUCT_CSV_HEADER, table: 'product', linesOf: productLines },
    CUSTOMERS: { header: CUSTOMER_CSV_HEADER, table: 'customer', linesOf: customerLines },
    ORDERS: { header: ORDER_CSV_HEADER, table: 'order', linesOf: orderLines },
  }

/** Objects that are read at once, and characters after which a page ends before its size: texts are long. */
const [SLICE_OBJECTS, MAX_PAGE_LENGTH] = [50, 2_000_000]

/** Objects of a store behind one, oldest first; fewer than `size` where they are long. */
export async function exportPage(
  source: ExportSource,
  {
    kind,
    format,
    after,
    size,
  }: { readonly kind: RecordKind; readonly format: RecordFormat; readonly after: number; readonly size: number },
): Promise<ExportedPage> {
  const { header, table, linesOf } = KINDS[kind]
  const found = await idsAfter(source.query, table, { storeId: source.storeId, after, size: size + 1 })
  const ids = found.slice(0, size)
  let [text, count] = [format === 'CSV' && after === 0 ? header : '', 0]
  while (count < ids.length && text.length < MAX_PAGE_LENGTH) {
    const slice = ids.slice(count, count + SLICE_OBJECTS)
    text += await linesOf(source, slice, format)
    count += slice.length
  }
  return { text, lastId: ids[count - 1] ?? null, hasNextPage: found.length > count }
}

async function productLines(
  { query, storeId, publicUrl }: ExportSource,
  ids: readonly number[],
  format: RecordFormat,
): Promise<string> {
  const products = await readProducts(query, storeId, ids, publicUrl)
  if (format === 'JSON_LINES') return jsonLines(products.map(({ record }) => record))
  const [store] = await storeRepository(query).findByIds([storeId])
  return products.map(({ record }) => csvOfProduct(record, store?.weightUnit ?? 'KG')).join('')
}

async function customerLines({ query, storeId }: ExportSource, ids: readonly number[], format: RecordFormat): Promise<string> {
  const customers = await readCustomers(query, storeId, ids)
  if (format === 'JSON_LINES') return jsonLines(customers.map(({ record }) => record))
  return customers.map(({ id, record }) => csvOfCustomer(id, record)).join('')
}

async function orderLines({ query, storeId }: ExportSource, ids: readonly number[], format: RecordFormat): Promise<string> {
  const orders = await readOrders(query, storeId, ids)
  return format === 'JSON_LINES' ? jsonLines(orders.map(jsonOfOrder)) : orders.map(csvOfOrder).join('')
}

const jsonLines = (records: readonly unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('')
