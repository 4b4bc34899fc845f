import { randomBytes } from 'node:crypto'
import { isText, problem } from '../../toolkit/validation.ts'
import { amountOf } from '../amount.ts'
import { customerForOrder } from '../customer/for-order.ts'
import { lockStock, reserveStock } from '../inventory/stock.ts'
import { ledgerRepository } from '../ledger/repository.ts'
import { orderLineRepository } from '../order/line/repository.ts'
import type { OrderLineTerms } from '../order/order.ts'
import { searchKey } from '../order/place-order.ts'
import { orderRepository } from '../order/repository.ts'
import { STATUS_EVENT } from '../order/status/states.ts'
import { orderHistoryRepository } from '../order-history/repository.ts'
import { orderRefundRepository } from '../order-refund/repository.ts'
import type { FileObject } from '../record-file/file-reader.ts'
import type { RecordResult, RowError } from '../record-file/record.ts'
import { withSavepoint } from '../savepoint.ts'
import type { UnitOfWork } from '../write.ts'
import { orderImportRepository, originKey, type SkuItem } from './import-repository.ts'
import { type ImportedOrder, MAX_ORDER_NAME_LENGTH, MAX_SOURCE_LENGTH } from './imported-order.ts'
import { orderOfCsv } from './read-csv.ts'
import { orderOfJson } from './read-json.ts'

export type OrderImportOptions = {
  /** Shop that orders come from of which the file names none. */
  readonly source: string
  /** Whether orders that are to be fulfilled reserve their stock. */
  readonly takesStock: boolean
  /** Whether webhooks and subscribers get the events of new orders and customers. */
  readonly sendsEvents: boolean
}

/** What identifies an order in a file; empty when it has nothing of the kind that could be looked up. */
export function orderKey(object: FileObject, source: string): string {
  const stated = statedOrigin(object)
  const name = keyText(stated.name, MAX_ORDER_NAME_LENGTH)
  return name === '' ? '' : originKey({ source: keyText(stated.importedFrom, MAX_SOURCE_LENGTH) || source, name })
}

function statedOrigin(object: FileObject): { readonly name?: unknown; readonly importedFrom?: unknown } {
  if (object.format === 'CSV') return { name: object.rows[0]?.cells.get('Name') }
  // Other values of JSON have no such keys.
  return object.format === 'UNREADABLE' ? {} : (object.value ?? {})
}

/** Empty where it is no text that could be stored. */
function keyText(value: unknown, max: number): string {
  const text = typeof value === 'string' ? value.trim() : ''
  return isText(text) && text.length <= max ? text : ''
}

/** Writes a chunk of orders in one transaction; those that were imported before stay as they are. */
export async function importOrders(
  unit: UnitOfWork,
  objects: readonly FileObject[],
  options: OrderImportOptions,
): Promise<readonly RecordResult[]> {
  const { query, storeId, now } = unit
  const imports = orderImportRepository(query)
  await imports.lock(storeId)
  const read = objects.map((object) => ({ row: object.row, isCsv: object.format === 'CSV', ...readOrder(object, now) }))
  const keyOf = ({ source, name }: ImportedOrder) => ({ source: source ?? options.source, name })
  const known = await imports.known(
    storeId,
    read.flatMap((each) => ('order' in each ? [keyOf(each.order)] : [])),
  )
  const skus = read.flatMap((each) => ('order' in each ? each.order.lines.flatMap(({ sku }) => sku ?? []) : []))
  const items = await imports.itemsBySku(storeId, [...new Set(skus)])
  const results: RecordResult[] = []
  for (const each of read) {
    if ('errors' in each) results.push({ kind: 'failed', errors: each.errors })
    else if (known.has(originKey(keyOf(each.order)))) results.push({ kind: 'skipped' })
    else results.push(await importOrder(unit, each, items, options))
  }
  return results
}

function readOrder(object: FileObject, now: Date): { readonly order: ImportedOrder } | { readonly errors: readonly RowError[] } {
  const { row } = object
  if (object.format === 'UNREADABLE') return { errors: [{ row, column: '', message: object.message }] }
  return object.format === 'CSV' ? orderOfCsv(object.rows, now) : orderOfJson(object.value, row, now)
}

type ReadOrder = { readonly row: number; readonly isCsv: boolean; readonly order: ImportedOrder }

async function importOrder(
  unit: UnitOfWork,
  { row, isCsv, order }: ReadOrder,
  items: ReadonlyMap<string, SkuItem>,
  options: OrderImportOptions,
): Promise<RecordResult> {
  const result = await withSavepoint(unit, async (within) => {
    const shortage = await writeOrder(within, order, items, options)
    return shortage === null ? { __typename: 'OrderImportSuccess' as const } : { __typename: 'Shortage' as const, shortage }
  })
  if (!('shortage' in result)) return { kind: 'created' }
  const column = isCsv ? 'Lineitem quantity' : 'lines'
  const { message } = problem(column, `at most ${result.shortage.available} in stock`, result.shortage.wanted)
  return { kind: 'failed', errors: [{ row, column, message }] }
}

/** Writes an order; null, or the item that it has too little stock of. */
async function writeOrder(
  unit: UnitOfWork,
  imported: ImportedOrder,
  items: ReadonlyMap<string, SkuItem>,
  { takesStock, sendsEvents, ...options }: OrderImportOptions,
) {
  const { query, storeId, now } = unit
  const quiet: UnitOfWork = sendsEvents ? unit : { ...unit, emit: () => {} }
  const source = imported.source ?? options.source
  const { name, externalId, status, createdAt, completedAt, updatedAt, additionalFields } = imported
  const lines = imported.lines.map((line) => soldLine(line, items))
  const customer = await customerOf(quiet, imported)
  const terms = { ...imported.terms, customer: customer === null ? null : { ...customer.snapshot, number: customer.id } }
  const orders = orderRepository(query)
  const id = await orders.insert(storeId, terms, {
    ...{ status, completedAt, at: createdAt, searchKey: searchKey(terms, lines, name) },
    token: randomBytes(24).toString('base64url'),
  })
  await orderImportRepository(query).insertOrigin(storeId, { orderId: id, source, name, externalId }, createdAt)
  const { fulfillmentStatus, shipmentStatus, refunded, balanceRefunded, paymentInformation, paymentNotificationId } = imported
  const { trackingNumber, trackingCompany, trackingUrl } = imported
  await orders.update(
    storeId,
    id,
    {
      ...{ fulfillmentStatus, shipmentStatus, refunded, balanceRefunded, paymentInformation, paymentNotificationId },
      ...{ trackingNumber, trackingCompany, trackingUrl },
    },
    updatedAt,
  )
  const lineRepository = orderLineRepository(query)
  const rows = lines.length === 0 ? [] : await lineRepository.insert(storeId, id, lines)
  await lineRepository.writeFields(
    storeId,
    id,
    additionalFields.map(({ label, value }) => ({ id: null, label, value, area: null })),
  )
  await bookPayments(unit, { ...imported.terms, id }, imported)
  await orderHistoryRepository(query).insert(storeId, {
    ...{ orderId: id, message: `Imported from ${source}, where its number is ${name}.`, at: now },
    log: { event: 'import', source, name },
  })
  const events = [{ event: 'order_created', entity: 'Order', id } as const, { event: STATUS_EVENT[status], entity: 'Order', id }]
  for (const event of events) quiet.emit(event)
  const open = lines.flatMap((line, index) => (imported.lines[index]?.isOpen ? [{ line, id: rows[index] ?? 0 }] : []))
  return takesStock ? takeStock(unit, open) : null
}

function soldLine(
  { sku, isOpen: _, ...line }: ImportedOrder['lines'][number],
  items: ReadonlyMap<string, SkuItem>,
): OrderLineTerms {
  const item = sku === null ? undefined : items.get(sku)
  return { ...line, sku, productNumber: item?.productId ?? 0, variantNumber: item?.variantId ?? null, imageKey: null }
}

async function customerOf(unit: UnitOfWork, { customer, terms }: ImportedOrder) {
  if (customer === null) return null
  const { email, phone, phonePrefix } = customer
  const { shippingAddress, billingAddress } = terms
  const id = await customerForOrder(unit, { email, phone, phonePrefix, shippingAddress, billingAddress })
  return { id, snapshot: customer }
}

/** Enters what was paid and paid back, at the times of the order. */
async function bookPayments(
  { query, storeId }: UnitOfWork,
  sold: { readonly id: number; readonly total: string; readonly currency: string },
  { paid, refunded, balanceRefunded, completedAt, updatedAt }: ImportedOrder,
): Promise<void> {
  const ledger = ledgerRepository(query)
  const back = updatedAt > completedAt ? updatedAt : completedAt
  if (amountOf(paid) > 0n) await ledger.pay(storeId, { ...sold, total: paid }, completedAt)
  for (const amount of [refunded, balanceRefunded]) if (amountOf(amount) > 0n) await ledger.payBack(storeId, sold, amount, back)
  if (amountOf(refunded) === 0n) return
  const refund = { amount: refunded, toGiftCards: '0', lines: [], reason: 'Imported', restocked: false, at: back }
  await orderRefundRepository(query).insert(storeId, sold.id, refund)
}

async function takeStock(unit: UnitOfWork, lines: readonly { readonly line: OrderLineTerms; readonly id: number }[]) {
  const wanted = lines
    .filter(({ line }) => line.productNumber !== 0)
    .map(({ line: { productNumber, variantNumber, quantity }, id }) => ({
      ...{ productId: productNumber, variantId: variantNumber, quantity },
      ...{ orderLineId: id, preferredLocationId: null },
    }))
  const stock = await lockStock(
    unit,
    wanted.map(({ productId }) => productId),
  )
  const [shortage] = await reserveStock(unit, stock, wanted)
  return shortage ?? null
}
