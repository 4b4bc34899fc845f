import { randomUUID } from 'node:crypto'
import type { OrderReturnReason, OrderReturnStatus, ShopAccountOrderPageQuery } from '#generated/operations.ts'
import { ownValue } from '../../platform/collections/lookup-table.ts'
import { fieldProblem, invalidField, NO_PROBLEMS, problemSummary } from '../frame/fields.ts'
import { counted, dayOf } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import type { WebPage } from '../frame/page.ts'
import { formToken, type RefusedForm } from './cart-page.ts'
import { frameOf, type ShopLinks } from './frame.ts'

export type AccountOrderShop = NonNullable<ShopAccountOrderPageQuery['storefront']>
export type ReturnableOrder = NonNullable<NonNullable<AccountOrderShop['customerAccount']>['order']>
type Return = ReturnableOrder['returns'][number]

/** Why units come back, as a shopper says it. */
export const RETURN_REASONS: Readonly<Record<OrderReturnReason, string>> = {
  SIZE: 'It does not fit',
  DEFECTIVE: 'It is defective',
  NOT_AS_DESCRIBED: 'It is not as described',
  WRONG_ITEM: 'It is not what I ordered',
  UNWANTED: 'I do not want it any more',
  OTHER: 'Another reason',
}

const STATES: Readonly<Record<OrderReturnStatus, string>> = {
  REQUESTED: 'requested: the shop has not answered yet',
  APPROVED: 'approved: send the units to the shop',
  DECLINED: 'declined',
  RECEIVED: 'received by the shop',
  CLOSED: 'completed',
  CANCELED: 'canceled',
}

/** Characters of a note of a return. */
export const MAX_RETURN_NOTE_LENGTH = 2_000

/** Names of the fields of a line in the form of a return. */
export const returnFields = (index: number) => ({ units: `units-${index}`, reason: `reason-${index}`, line: `line-${index}` })

/** The returns of an order, for whose account it is, and a form for another one. */
export function accountOrderPage(
  shop: AccountOrderShop,
  found: ReturnableOrder,
  {
    links,
    token,
    now,
    refused = null,
  }: { readonly links: ShopLinks; readonly token: string; readonly now: Date; readonly refused?: RefusedForm | null },
): WebPage {
  const { order, secret, returns } = found
  const title = `Returns of your order ${order.number}`
  return {
    title,
    description: `${title} at ${shop.name}.`,
    frame: frameOf(shop, links),
    ...(refused && { status: 422 }),
    body: html`<div class="narrow account"><p><a href="${links.to('/account')}">Your account</a></p><h1>${title}</h1>
${problemSummary(refused?.problems ?? NO_PROBLEMS)}
<p><a href="${links.to(`/orders/${secret}`)}">The order of <time datetime="${order.createdAt}">${dayOf(order.createdAt)}</time></a></p>
${returns.length > 0 && html`<section aria-labelledby="returns"><h2 id="returns">${counted(returns.length, 'return')}</h2>${returns.map(returnOf)}</section>`}
${requesting(found, { links, token, now, refused })}</div>`,
  }
}

const returnOf = ({ number, status, reason, createdAt, lines }: Return): Html => html`<h3>Return ${number}</h3>
<dl class="facts-list"><dt>State</dt><dd>${STATES[status]}</dd><dt>Since</dt><dd><time datetime="${createdAt}">${dayOf(createdAt)}</time></dd></dl>
<ul>${lines.map(({ name, quantity }) => html`<li>${quantity} × ${name}</li>`)}</ul>
${reason !== null && html`<p class="alert"><strong>The shop writes:</strong> ${reason}</p>`}`

function requesting(
  { order, returnableLines, returnableUntil, returns }: ReturnableOrder,
  {
    links,
    token,
    now,
    refused,
  }: { readonly links: ShopLinks; readonly token: string; readonly now: Date; readonly refused: RefusedForm | null },
): Html {
  if (returnableUntil === null) return html`<p>${nothing(returns.length)} Contact the shop if something is wrong with it.</p>`
  if (new Date(returnableUntil) <= now)
    return html`<p>Returns could be requested until <time datetime="${returnableUntil}">${dayOf(returnableUntil)}</time>. Contact the shop if something is wrong.</p>`
  if (returnableLines.length === 0) return html`<p>All of this order is in returns.</p>`
  const problems = refused?.problems ?? NO_PROBLEMS
  return html`<section aria-labelledby="request"><h2 id="request">Return something</h2>
<p>Until <time datetime="${returnableUntil}">${dayOf(returnableUntil)}</time>. The shop answers before you send anything.</p>
<form method="post" action="${links.to(`/account/orders/${order.number}`)}" class="stacked">${formToken(token)}<input type="hidden" name="key" value="${refused?.typed('key') || randomUUID()}">
${returnableLines.map((line, index) => lineFields(line, index, refused))}
<div><label for="note">Note to the shop <span class="quiet">(optional)</span></label><textarea id="note" name="note" rows="3" maxlength="${MAX_RETURN_NOTE_LENGTH}"${invalidField('note', problems.note)}>${refused?.typed('note') ?? ''}</textarea>${fieldProblem('note', problems.note)}</div>
<p class="actions"><button>Request the return</button></p></form></section>`
}

const nothing = (count: number): string =>
  count === 0 ? 'Nothing of this order can be returned here.' : 'Nothing more of this order can be returned here.'

function lineFields(
  { id, name, quantity }: ReturnableOrder['returnableLines'][number],
  index: number,
  refused: RefusedForm | null,
): Html {
  const { units, reason, line } = returnFields(index)
  const problem = refused ? ownValue(refused.problems, units) : undefined
  const chosen = refused?.typed(reason)
  return html`<fieldset><legend>${name}</legend><input type="hidden" name="${line}" value="${id}">
<div><label for="${units}">Units, at most ${quantity}</label><input type="text" id="${units}" name="${units}" inputmode="numeric" autocomplete="off" maxlength="7" value="${refused?.typed(units) ?? '0'}"${invalidField(units, problem)}>${fieldProblem(units, problem)}</div>
<div><label for="${reason}">Why</label><select id="${reason}" name="${reason}">${Object.entries(RETURN_REASONS).map(([value, label]) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`)}</select></div></fieldset>`
}
