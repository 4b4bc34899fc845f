import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { keyOf, MAX_STOCK, type StockItem } from '../inventory/inventory.ts'
import type { Holder } from '../inventory/repository.ts'

export type InventoryTransferStatus = 'DRAFT' | 'IN_TRANSIT' | 'RECEIVED' | 'CANCELED'
export type TransferShortageReason = 'DAMAGED' | 'LOST' | 'NOT_SENT' | 'OTHER'

/** Stock that moves from a location to another. */
export type InventoryTransfer = {
  readonly id: number
  readonly status: InventoryTransferStatus
  /** Null: deleted after the transfer had ended; also `destinationId`. */
  readonly sourceId: number | null
  readonly destinationId: number | null
  readonly note: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  /** Null: not sent. */
  readonly sentAt: Date | null
  /** Null: it is open. */
  readonly finishedAt: Date | null
  readonly version: number
}

/** Units of an item in a transfer. */
export type InventoryTransferLine = StockItem & {
  readonly id: number
  readonly transferId: number
  readonly quantity: number
  readonly received: number
  readonly missing: number
  readonly returned: number
  /** Null: nothing is missing. */
  readonly reason: TransferShortageReason | null
}

/** Units to move, as a caller gives them. */
export type TransferLineInput = {
  readonly productId: string
  readonly variantId?: string | null | undefined
  readonly quantity: number
}

/** What became of units of a line, as a caller gives it. */
export type ReceivedTransferLine = {
  readonly lineId: string
  /** Absent: 0; also of `missing`. */
  readonly received?: number
  readonly missing?: number
  readonly reason?: TransferShortageReason | null | undefined
}

/** Units that arrived now, and units that are missing now. */
export type Receipt = {
  readonly line: InventoryTransferLine
  readonly received: number
  readonly missing: number
  readonly reason: TransferShortageReason | null
}

/** What `InventoryTransfer.lines` promises to hold. */
export const MAX_TRANSFER_LINES = 250
/** Open transfers of a store. */
export const MAX_OPEN_TRANSFERS = 500
const MAX_NOTE_LENGTH = 1_000

/** Units of a line that are in transit once it was sent. */
export const inTransit = ({ quantity, received, missing, returned }: InventoryTransferLine): number =>
  quantity - received - missing - returned

/** An `InventoryTransferNotAllowed` of the schema. */
export const notAllowed = (status: InventoryTransferStatus, expected: string) => ({
  __typename: 'InventoryTransferNotAllowed' as const,
  message: `Expected a transfer that is ${expected}, but it is ${status}.`,
  status,
})

/** The product rows that lines name; 0 for what is no id. */
export const productsOf = (lines: readonly TransferLineInput[]): readonly number[] =>
  lines.map(({ productId }) => decodeId(productId, 'Product') ?? 0)

/** Problems of the form of a new transfer. */
export function transferProblems({
  lines,
  note,
}: {
  readonly lines: readonly TransferLineInput[]
  readonly note?: string | null | undefined
}): readonly Problem[] {
  const ofLines =
    lines.length < 1 || lines.length > MAX_TRANSFER_LINES
      ? [problem('lines', `1 to ${MAX_TRANSFER_LINES} lines`, lines.length)]
      : lines.map(({ quantity }, index) =>
          quantity >= 1 && quantity <= MAX_STOCK ? null : problem(`lines.${index}.quantity`, `1 to ${MAX_STOCK}`, quantity),
        )
  return problemsIn([...ofLines, note?.trim() ? textProblem('note', note, MAX_NOTE_LENGTH) : null])
}

type NewLine = StockItem & { readonly quantity: number }

/** The items of the lines of a new transfer, or why they cannot be moved. */
export function transferItems(
  lines: readonly TransferLineInput[],
  holders: readonly Holder[],
):
  | { readonly items: readonly NewLine[] }
  | { readonly problems: readonly Problem[] }
  | { readonly missing: 'product' | 'variant of this product'; readonly id: string } {
  const known = new Map(holders.map((holder) => [keyOf(holder), holder]))
  const items: NewLine[] = []
  const seen = new Set<string>()
  const problems: Problem[] = []
  for (const [index, { productId, variantId, quantity }] of lines.entries()) {
    const product = known.get(keyOf({ productId: decodeId(productId, 'Product') ?? 0, variantId: null }))
    if (!product) return { missing: 'product', id: productId }
    const item = {
      productId: product.productId,
      variantId: variantId == null ? null : (decodeId(variantId, 'ProductVariant') ?? 0),
    }
    const holder = known.get(keyOf(item))
    if (!holder) return { missing: 'variant of this product', id: variantId ?? '' }
    if (holder.hasVariants)
      problems.push(problem(`lines.${index}.variantId`, 'one of the variants, because the product has some', null))
    if (holder.isUnlimited) problems.push(problem(`lines.${index}.productId`, 'an item with limited stock', productId))
    if (seen.has(keyOf(item))) problems.push(problem(`lines.${index}`, 'an item that no other line has', productId))
    seen.add(keyOf(item))
    items.push({ ...item, quantity })
  }
  return problems.length > 0 ? { problems } : { items }
}

/**
 * What a receipt says of the lines of a transfer; `inputs` null: all that is in transit arrived.
 */
export function receiptsOf(
  lines: readonly InventoryTransferLine[],
  inputs: readonly ReceivedTransferLine[] | null,
): { readonly receipts: readonly Receipt[] } | { readonly problems: readonly Problem[] } {
  if (inputs === null) {
    const open = lines.filter((line) => inTransit(line) > 0)
    return { receipts: open.map((line) => ({ line, received: inTransit(line), missing: 0, reason: null })) }
  }
  if (inputs.length < 1 || inputs.length > MAX_TRANSFER_LINES)
    return { problems: [problem('lines', `1 to ${MAX_TRANSFER_LINES} lines`, inputs.length)] }
  const known = new Map(lines.map((line) => [line.id, line]))
  const receipts: Receipt[] = []
  const problems: Problem[] = []
  for (const [index, input] of inputs.entries()) {
    const line = known.get(decodeId(input.lineId, 'InventoryTransferLine') ?? 0)
    if (!line) {
      problems.push(problem(`lines.${index}.lineId`, 'a line of this transfer, once', input.lineId))
      continue
    }
    known.delete(line.id)
    const { received = 0, missing = 0 } = input
    const reason = input.reason ?? null
    problems.push(...problemsOfReceipt(`lines.${index}`, { line, received, missing, reason }))
    receipts.push({ line, received, missing, reason })
  }
  return problems.length > 0 ? { problems } : { receipts }
}

function problemsOfReceipt(at: string, { line, received, missing, reason }: Receipt): readonly Problem[] {
  const left = inTransit(line)
  return problemsIn([
    received < 0 || received > left ? problem(`${at}.received`, `0 to ${left}, the units in transit`, received) : null,
    missing < 0 || missing > left - Math.max(received, 0)
      ? problem(`${at}.missing`, `0 to ${Math.max(0, left - received)}, the units in transit that did not arrive`, missing)
      : null,
    received === 0 && missing === 0 ? problem(`${at}.received`, '1 or more, or missing units', received) : null,
    missing > 0 && reason === null ? problem(`${at}.reason`, 'a reason, because units are missing', null) : null,
    missing === 0 && reason !== null ? problem(`${at}.reason`, 'absent, because no units are missing', reason) : null,
  ])
}
