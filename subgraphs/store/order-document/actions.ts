import { randomInt } from 'node:crypto'
import { violates } from '../../../platform/database/postgres-error.ts'
import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { given, type Versioned } from '../input.ts'
import { orderRepository } from '../order/repository.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import {
  type DocumentFields,
  documentProblems,
  MAX_DOCUMENTS,
  MAX_PUBLIC_ID,
  type OrderDocument,
  type OrderDocumentType,
} from './order-document.ts'
import { orderDocumentRepository } from './repository.ts'

type DocumentInput = {
  readonly documentType?: OrderDocumentType | null | undefined
  readonly externalId?: string | null | undefined
  readonly publicId?: string | null | undefined
  readonly url?: string | null | undefined
  readonly appCode?: string | null | undefined
}

/**
 * How often a free address is drawn. With a million documents in a store, each draw fails once in
 * two thousand times.
 */
const MAX_DRAWS = 5

/** Keeps where a document of an order is. */
export async function createOrderDocument({ query, storeId, now, emit }: UnitOfWork, orderId: string, input: DocumentInput) {
  const fields = documentOf(input)
  const [publicId, appCode] = [blankless(input.publicId), blankless(input.appCode)]
  const problems = documentProblems(fields, { publicId, appCode })
  if (problems.length > 0) return validationError(problems)
  // Locked, so that two at once count each other.
  const order = await orderRepository(query).lock(storeId, decodeId(orderId, 'Order') ?? 0)
  if (!order) return notFoundError('order', orderId)
  const documents = orderDocumentRepository(query)
  const others = await documents.ofOrders(storeId, [order.id])
  if (others.length >= MAX_DOCUMENTS) {
    return validationError([
      problem('documentType', `one of at most ${MAX_DOCUMENTS} documents of an order`, fields.documentType),
    ])
  }
  for (let draw = 1; draw <= MAX_DRAWS; draw += 1) {
    const address = publicId ?? String(randomInt(1, MAX_PUBLIC_ID))
    const document = await documents.insert(storeId, { ...fields, orderNumber: order.id, publicId: address, appCode }, now)
    if (document !== null) {
      emit({ event: 'order_updated', entity: 'Order', id: order.id })
      return { __typename: 'CreateOrderDocumentSuccess' as const, document }
    }
    if (publicId !== null) break
  }
  return validationError([taken(publicId)])
}

/** Changes what the input has. */
export async function updateOrderDocument(
  { query, storeId, now, emit }: UnitOfWork,
  { orderId, publicId }: { readonly orderId: string; readonly publicId: string },
  input: DocumentInput & Versioned,
) {
  const documents = orderDocumentRepository(query)
  const before = await documents.lock(storeId, decodeId(orderId, 'Order') ?? 0, publicId)
  if (!before) return notFoundError('document', publicId)
  const stale = staleVersion(input.expectedVersion, before.version)
  if (stale) return stale
  const fields = documentOf(input, before)
  const problems = [...documentProblems(fields, { publicId: input.publicId ?? before.publicId, appCode: null })]
  if (input.publicId === null) problems.push(problem('publicId', 'absent or something', null))
  if (problems.length > 0) return validationError(problems)
  try {
    await documents.update(storeId, before.id, { ...fields, publicId: input.publicId ?? before.publicId }, now)
  } catch (error) {
    if (violates(error, 'order_document_store_id_public_id_key')) return validationError([taken(input.publicId)])
    throw error
  }
  emit({ event: 'order_updated', entity: 'Order', id: before.orderNumber })
  return { __typename: 'UpdateOrderDocumentSuccess' as const, document: before.id }
}

/** Forgets a document. */
export async function deleteOrderDocument(
  { query, storeId, emit }: UnitOfWork,
  { orderId, publicId, expectedVersion }: { readonly orderId: string; readonly publicId: string } & Versioned,
) {
  const documents = orderDocumentRepository(query)
  const before = await documents.lock(storeId, decodeId(orderId, 'Order') ?? 0, publicId)
  if (!before) return notFoundError('document', publicId)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  await documents.delete(storeId, before.id)
  emit({ event: 'order_updated', entity: 'Order', id: before.orderNumber })
  return { __typename: 'DeleteOrderDocumentSuccess' as const, row: before.id }
}

const taken = (publicId: string | null | undefined) => problem('publicId', 'one that no other document has', publicId ?? 'none')

/** Blank texts clear: forms send them. */
const blankless = (text: string | null | undefined): string | null => (text?.trim() ? text : null)

const documentOf = (input: DocumentInput, before: OrderDocument | null = null): DocumentFields => ({
  // The type has no null, but a caller can; the rules see it.
  documentType: given(input.documentType, before?.documentType ?? null) as OrderDocumentType,
  externalId: input.externalId === undefined ? (before?.externalId ?? null) : blankless(input.externalId),
  url: input.url === undefined ? (before?.url ?? null) : blankless(input.url),
})
