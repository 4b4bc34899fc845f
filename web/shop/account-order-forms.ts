import type { FastifyReply } from 'fastify'
import { type OrderReturnReason, ShopAccountOrderPageDocument, ShopRequestReturnDocument } from '#generated/operations.ts'
import { lookupTable } from '../../platform/collections/lookup-table.ts'
import { type FormProblems, textProblems } from '../frame/fields.ts'
import { fieldOf } from '../frame/form.ts'
import { dataOf, foundIn } from '../frame/page.ts'
import {
  type AccountOrderShop,
  accountOrderPage,
  MAX_RETURN_NOTE_LENGTH,
  RETURN_REASONS,
  type ReturnableOrder,
  returnFields,
} from './account-order-page.ts'
import { isFormOf, type TokenCookie } from './cart-cookie.ts'
import { linksOf } from './frame.ts'
import { type CartVisit, foreignForm, type ShopResponder } from './visit.ts'

/** Operations of `createAccountOrderForms`. */
export const ACCOUNT_ORDER_DOCUMENTS = [ShopAccountOrderPageDocument, ShopRequestReturnDocument]

const REASONS = lookupTable<OrderReturnReason>(
  // Its keys are the reasons.
  Object.fromEntries(Object.keys(RETURN_REASONS).map((reason) => [reason, reason as OrderReturnReason])),
)

/** Returns of orders of who is signed in. Answers null for an order that their account does not have. */
export function createAccountOrderForms(responder: ShopResponder, cookie: TokenCookie) {
  const { site, show, redirect } = responder
  return { showOrder, sendReturn }

  async function showOrder(visit: CartVisit): Promise<FastifyReply | null> {
    return withOrder(visit, async ({ shop, order, token }) =>
      show(visit.reply, accountOrderPage(shop, order, { links: linksOf(shop, visit.language, site), token, now: new Date() })),
    )
  }

  async function sendReturn(visit: CartVisit): Promise<FastifyReply | null> {
    return withOrder(visit, async ({ shop, order, token }) => {
      const { request, reply, code, language, run } = visit
      if (!isFormOf(token, request)) return show(reply, foreignForm)
      const links = linksOf(shop, language, site)
      const typed = (name: string) => fieldOf(request, name)
      const refuse = (problems: FormProblems) =>
        show(reply, accountOrderPage(shop, order, { links, token, now: new Date(), refused: { problems, typed } }))
      const { lines, problems } = returnedLines(order, typed)
      const found = { ...problems, ...textProblems({ note: typed('note') }, {}, MAX_RETURN_NOTE_LENGTH) }
      if (Object.keys(found).length > 0) return refuse(found)
      const input = {
        store: code,
        token,
        order: order.order.number,
        lines,
        note: typed('note') || null,
        idempotencyKey: typed('key'),
      }
      const { written } = dataOf(await run(ShopRequestReturnDocument, { input }))
      if (written.__typename === 'NotFoundError') return null
      if (written.__typename !== 'RequestStorefrontReturnSuccess') return refuse({ '': CHANGED })
      return redirect(reply, links.to(`/account/orders/${order.order.number}`))
    })
  }

  async function withOrder(
    visit: CartVisit,
    handle: (found: {
      readonly shop: AccountOrderShop
      readonly order: ReturnableOrder
      readonly token: string
    }) => Promise<FastifyReply | null>,
  ): Promise<FastifyReply | null> {
    const { request, reply, code, language, run } = visit
    // Parameters of a path are texts.
    const { number = '' } = request.params as Readonly<Record<string, string>>
    if (!/^[1-9]\d{0,8}$/.test(number)) return null
    const token = cookie.read(request) ?? ''
    const answer = await run(ShopAccountOrderPageDocument, { code, language, token, number: Number(number) })
    const shop = foundIn(dataOf(answer).storefront, answer)
    if (shop === null) return null
    if (!shop.customerAccount) return redirect(reply, linksOf(shop, language, site).to('/account'))
    const { order } = shop.customerAccount
    return order ? handle({ shop, order, token }) : null
  }
}

const CHANGED = 'This return cannot be requested as it is: look at what can be returned, and try again.'

/** As many lines as an order has. */
const MAX_LINES = 500

/**
 * The lines of a form with units to return, and what is wrong with them. The graph judges lines that
 * cannot be returned any more: a form that is sent twice has requested its return already.
 */
function returnedLines({ returnableLines }: ReturnableOrder, typed: (name: string) => string) {
  const problems: [field: string, problem: string][] = []
  const lines: { lineId: string; quantity: number; reason: OrderReturnReason }[] = []
  for (let index = 0; index < MAX_LINES; index += 1) {
    const { units, reason, line } = returnFields(index)
    const [lineId, text] = [typed(line), typed(units).trim()]
    if (lineId === '') break
    if (text === '' || text === '0') continue
    const quantity = /^\d{1,7}$/.test(text) ? Number(text) : 0
    const limit = returnableLines.find(({ id }) => id === lineId)?.quantity ?? quantity
    if (quantity < 1 || quantity > limit) problems.push([units, `Enter 0 to ${limit}.`])
    lines.push({ lineId, quantity, reason: REASONS[typed(reason)] ?? 'OTHER' })
  }
  if (lines.length === 0) problems.push(['', 'Enter how many units of a product you return.'])
  return { lines, problems: Object.fromEntries(problems) }
}
