import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { MAX_LINES, type Order, type OrderLine } from '../order/order.ts'
import { isHolding, isLineFulfilled } from '../order/status/states.ts'

export type OrderReturnStatus = 'REQUESTED' | 'APPROVED' | 'DECLINED' | 'RECEIVED' | 'CLOSED' | 'CANCELED'
export type OrderReturnReason = 'DEFECTIVE' | 'NOT_AS_DESCRIBED' | 'WRONG_ITEM' | 'SIZE' | 'UNWANTED' | 'OTHER'
export type OrderReturnRestock = 'RESTOCK' | 'DISCARD'

/** Units of an order that its customer sends back. */
export type OrderReturn = {
  readonly id: number
  readonly orderId: number
  readonly status: OrderReturnStatus
  readonly requestedBy: 'MERCHANT' | 'CUSTOMER'
  readonly note: string | null
  /** Why it was declined or canceled. */
  readonly reason: string | null
  readonly refundId: number | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Units of an order line that are sent back. */
export type OrderReturnLine = {
  readonly returnId: number
  readonly lineNumber: number
  readonly quantity: number
  readonly reason: OrderReturnReason
  readonly note: string | null
  /** Units that arrived; null: not yet. */
  readonly received: number | null
  readonly restock: OrderReturnRestock | null
  /** Location that they were restocked to; null: where they came from. */
  readonly locationNumber: number | null
}

/** Units to send back, as a caller gives them. */
export type OrderReturnLineInput = {
  readonly lineId: string
  readonly quantity: number
  readonly reason?: OrderReturnReason | null | undefined
  readonly note?: string | null | undefined
}

/** Units that arrived, as a caller gives them. */
export type ReceivedLineInput = {
  readonly lineId: string
  readonly quantity: number
  readonly restock?: OrderReturnRestock | null | undefined
  readonly locationId?: string | null | undefined
}

/** Fields of a line of a new return. */
export type NewReturnLine = Pick<OrderReturnLine, 'lineNumber' | 'quantity' | 'reason' | 'note'>
/** What arrived of a line, and what becomes of it. */
export type ReceivedLine = {
  readonly lineNumber: number
  readonly received: number
  readonly restock: OrderReturnRestock
  readonly locationNumber: number | null
}

/** What `Order.returns` promises to hold. */
export const MAX_RETURNS = 50
const MAX_LINE_NOTE_LENGTH = 500
const MAX_TEXT_LENGTH = 2_000
/** Milliseconds. */
const DAY_MS = 86_400_000

const NEXT: Readonly<Record<OrderReturnStatus, readonly OrderReturnStatus[]>> = {
  REQUESTED: ['APPROVED', 'DECLINED', 'CANCELED'],
  APPROVED: ['RECEIVED', 'CANCELED'],
  DECLINED: [],
  RECEIVED: ['CLOSED'],
  CLOSED: [],
  CANCELED: [],
}

/** An `OrderReturnNotAllowed` of the schema; null: a return may go on to that status. */
export function transitionRefusal(status: OrderReturnStatus, to: OrderReturnStatus) {
  const next = NEXT[status]
  if (next.includes(to)) return null
  const allowed = next.length === 0 ? 'which is final' : `which can become ${next.join(' or ')}`
  return {
    __typename: 'OrderReturnNotAllowed' as const,
    message: `Expected a return that can become ${to}, but it is ${status}, ${allowed}.`,
    status,
    next,
  }
}

/** Problems of a note or a reason. */
export const textProblems = (texts: { readonly [field: string]: string | null | undefined }): readonly Problem[] =>
  problemsIn(Object.entries(texts).map(([field, text]) => (text?.trim() ? textProblem(field, text, MAX_TEXT_LENGTH) : null)))

/**
 * Units of each line that can be returned: those that were fulfilled, less those in returns, by the
 * line's row. `inReturns` are the units in returns that were not declined or canceled, `handedOver`
 * the times of the fulfillments.
 */
export function returnableUnits(
  order: Pick<Order, 'status' | 'fulfillmentStatus'>,
  lines: readonly Pick<OrderLine, 'id' | 'quantity' | 'addedAt'>[],
  { inReturns, handedOver }: { readonly inReturns: ReadonlyMap<number, number>; readonly handedOver: readonly Date[] },
): ReadonlyMap<number, number> {
  const isFulfilled = (line: Pick<OrderLine, 'addedAt'>) => isHolding(order.status) && isLineFulfilled(order, line, handedOver)
  return new Map(
    lines.map((line) => [line.id, isFulfilled(line) ? Math.max(0, line.quantity - (inReturns.get(line.id) ?? 0)) : 0]),
  )
}

/** The lines of a new return, or their problems; `returnable` are units by the line's row. */
export function newReturnLines(
  inputs: readonly OrderReturnLineInput[],
  returnable: ReadonlyMap<number, number>,
): { readonly lines: readonly NewReturnLine[] } | { readonly problems: readonly Problem[] } {
  if (inputs.length < 1 || inputs.length > MAX_LINES)
    return { problems: [problem('lines', `1 to ${MAX_LINES} lines`, inputs.length)] }
  const lines: NewReturnLine[] = []
  const problems: Problem[] = []
  const named = new Set<number>()
  for (const [index, { lineId, quantity, reason, note }] of inputs.entries()) {
    const at = `lines.${index}`
    const lineNumber = decodeId(lineId, 'OrderLine') ?? 0
    const units = returnable.get(lineNumber)
    if (units === undefined || named.has(lineNumber)) {
      problems.push(problem(`${at}.lineId`, units === undefined ? 'a line of the order' : 'a line that is named once', lineId))
      continue
    }
    named.add(lineNumber)
    const expectation = units === 0 ? 'of a line with fulfilled units that are in no return' : `1 to ${units}`
    const wrong = problemsIn([
      quantity < 1 || quantity > units ? problem(`${at}.quantity`, expectation, quantity) : null,
      note?.trim() ? textProblem(`${at}.note`, note, MAX_LINE_NOTE_LENGTH) : null,
    ])
    problems.push(...wrong)
    if (wrong.length === 0) lines.push({ lineNumber, quantity, reason: reason ?? 'OTHER', note: note?.trim() ? note : null })
  }
  return problems.length > 0 ? { problems } : { lines }
}

/** What arrived of each line of a return, or the problems of the input. */
export function receivedLines(
  lines: readonly OrderReturnLine[],
  inputs: readonly ReceivedLineInput[],
): { readonly received: readonly ReceivedLine[] } | { readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const given = new Map<number, ReceivedLineInput>()
  for (const [index, input] of inputs.slice(0, MAX_LINES + 1).entries()) {
    const { lineId, quantity, restock, locationId } = input
    const at = `lines.${index}`
    const row = decodeId(lineId, 'OrderLine')
    const line = lines.find(({ lineNumber }) => lineNumber === row)
    if (!line || given.has(line.lineNumber)) {
      problems.push(problem(`${at}.lineId`, line ? 'a line that is named once' : 'a line of the return', lineId))
      continue
    }
    given.set(line.lineNumber, input)
    problems.push(
      ...problemsIn([
        quantity < 0 || quantity > line.quantity ? problem(`${at}.quantity`, `0 to ${line.quantity}`, quantity) : null,
        restock === 'DISCARD' && locationId != null
          ? problem(`${at}.locationId`, 'absent, because the units are discarded', locationId)
          : null,
      ]),
    )
  }
  if (problems.length > 0) return { problems }
  return {
    received: lines.map(({ lineNumber, quantity }) => {
      const input = given.get(lineNumber)
      const location = input?.locationId == null ? null : (decodeId(input.locationId, 'Location') ?? 0)
      return { lineNumber, received: input?.quantity ?? quantity, restock: input?.restock ?? 'RESTOCK', locationNumber: location }
    }),
  }
}

/** Until when shoppers can request a return of an order; null: not at all. */
export function returnableUntil(
  order: Pick<Order, 'status' | 'fulfillmentStatus' | 'completedAt' | 'createdAt'>,
  fulfilledAt: readonly Date[],
  windowDays: number,
): Date | null {
  if (windowDays === 0 || !isHolding(order.status) || order.fulfillmentStatus !== 'FULFILLED') return null
  const since = Math.max((order.completedAt ?? order.createdAt).getTime(), ...fulfilledAt.map((time) => time.getTime()))
  return new Date(since + windowDays * DAY_MS)
}
