import {
  ConsoleCancelDraftDocument,
  ConsoleCompleteDraftDocument,
  ConsoleCreateDraftDocument,
  ConsoleDraftContentsDocument,
  ConsoleDraftDocument,
  ConsoleDraftFormDocument,
  type ConsoleDraftQuery,
  type ConsoleDraftResultFragment,
  ConsoleTransferItemDocument,
  ConsoleUpdateDraftDocument,
} from '#generated/operations.ts'
import { type Changed, refusedBecause, refusedFields, toChanged } from '../frame/change.ts'
import { momentOf, money, whole } from '../frame/figures.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, foundIn } from '../frame/page.ts'
import { pathIn, type Site } from '../frame/site.ts'
import { type ConsoleChange, consoleChange } from './change.ts'
import { draftFields, draftOfForm, EMPTY_DRAFT, type ReadDraft } from './draft-form.ts'
import { contentsOf, DRAFTS, draftChip } from './drafts.ts'
import { checkbox, onceField, versionField } from './fields.ts'
import { isRestId } from './list.ts'
import { ORDERS, orderChip } from './orders.ts'
import { type ConsoleRequest, consolePage } from './page.ts'
import { readForm } from './read-form.ts'

const NEW = `${DRAFTS}/new`
const NEEDS = ['read_orders', 'read_products', 'read_settings', 'read_shipping_methods', 'read_payment_methods']

type Draft = NonNullable<ConsoleDraftQuery['draftOrder']>
type Calculation = ConsoleDraftQuery['calculation']
type Calculated = Extract<Calculation, { readonly __typename: 'CalculatedOrder' }>

export const newDraft = consolePage({
  path: NEW,
  label: 'New draft',
  needs: NEEDS,
  operations: [ConsoleDraftFormDocument],
  async body({ run, site, visit, form }) {
    const choices = dataOf(await run(ConsoleDraftFormDocument, {}))
    return html`<p class="trail"><a href="${site.at(DRAFTS)}">Drafts</a></p><h1>New draft</h1>
<div class="edit">${changeForm(
      NEW,
      visit,
      site,
      html`${onceField()}${draftFields(form(NEW), EMPTY_DRAFT, choices, () => '')}
<p><button>Save the draft</button></p>
<p class="quiet">Nothing is ordered, and nobody is told, before you create the order on the page of the draft.</p>`,
    )}</div>`
  },
})

export const draft = consolePage({
  path: `${DRAFTS}/{number}`,
  label: 'Draft',
  needs: NEEDS,
  operations: [ConsoleDraftDocument],
  notices: {
    created: 'The draft was saved.',
    saved: 'The draft was saved.',
    completed: 'The draft is an order.',
    canceled: 'The draft was canceled.',
  },
  async body({ path: { number }, run, site, visit, form }) {
    if (!isRestId(number)) return null
    const answer = await run(ConsoleDraftDocument, { number })
    const { draftOrder: queried, calculation, ...choices } = dataOf(answer)
    const found = foundIn(queried, answer)
    if (found === null) return null
    const path = `${DRAFTS}/${number}`
    const calculated = calculation.__typename === 'CalculatedOrder' ? calculation : null
    const stored = contentsOf(found)
    const nameOf = (index: number): string => {
      const line = stored.lines[index]
      return calculated?.lines[index]?.name ?? line?.name ?? `Product ${line?.productId}`
    }
    const isOpen = found.status === 'OPEN'
    return html`<p class="trail"><a href="${site.at(DRAFTS)}">Drafts</a></p>
<div class="heading"><h1>Draft ${found.number}</h1>${draftChip(found.status)}</div>
<p class="facts"><strong>${money(calculated && isOpen ? calculated.total : found.total, found.currency)}</strong> <span>created <time datetime="${found.createdAt}">${momentOf(found.createdAt)}</time></span></p>
${orderOf(found, site)}
${
  isOpen &&
  html`<div class="with-aside"><section aria-labelledby="contents"><h2 id="contents">Contents</h2>
<div class="edit">${changeForm(
    path,
    visit,
    site,
    html`${versionField(found.version)}${onceField()}${draftFields(form(path), stored, choices, nameOf)}
<p><button>Save</button></p>`,
  )}</div></section>
<div class="aside"><section aria-labelledby="total"><h2 id="total">Order as it would be now</h2>${calculation.__typename === 'CalculatedOrder' ? sums(calculation) : failure(calculation)}</section>
${calculated && completion(found, calculated, { path, form, visit, site })}
<details class="confirm"><summary>Cancel the draft…</summary>${changeForm(
    `${path}/cancel`,
    visit,
    site,
    html`${versionField(found.version)}${onceField()}<p>This is final.</p><p><button class="danger">Cancel draft ${found.number}</button></p>`,
  )}</details></div></div>`
}`
  },
})

/** The order that a draft became, and the link that its customer pays by. */
function orderOf({ order, invoiceUrl }: Draft, { at }: Site): Html | false {
  if (order === null) return false
  return html`<p>It is <a href="${at(`${ORDERS}/${order.number}`)}">order ${order.number}</a> of ${money(order.total, order.currency)}: ${orderChip(order.status)}</p>
${invoiceUrl !== null && html`<p>Link for the customer, who sees the order there${order.status === 'PENDING_PAYMENT' && ' and pays it'}: <a href="${at(pathIn(invoiceUrl))}">${invoiceUrl}</a></p><p class="quiet">Everybody with the link can see the order.</p>`}`
}

function sums(calculated: Calculated): Html {
  const { currency, lines, shortages, refusedCoupons } = calculated
  const rows = [
    ['Goods', calculated.subtotal, ''],
    ['Tax', calculated.tax, ''],
    ['Discount', calculated.discount, '−'],
    ['Shipping', calculated.shipping, ''],
    ['Tax on shipping', calculated.shippingTax, ''],
    ['Discount on shipping', calculated.shippingDiscount, '−'],
  ] as const
  return html`<div class="wide" tabindex="0" role="region" aria-labelledby="total"><table class="compact">
<thead><tr><th scope="col">Product</th><th scope="col" class="number">Units</th><th scope="col" class="number">Total</th></tr></thead>
<tbody>${lines.map(({ name, sku, quantity, total }) => html`<tr><th scope="row">${name}${sku && html`<br><small>${sku}</small>`}</th><td class="number">${whole(quantity)}</td><td class="number">${money(total, currency)}</td></tr>`)}</tbody>
<tfoot>${rows.filter(([name, amount]) => name === 'Goods' || Number(amount) !== 0).map(([name, amount, sign]) => html`<tr><th scope="row" colspan="2">${name}</th><td class="number">${sign}${money(amount, currency)}</td></tr>`)}
<tr><th scope="row" colspan="2">Total</th><td class="number"><strong>${money(calculated.total, currency)}</strong></td></tr></tfoot></table></div>
${
  refusedCoupons.length > 0 &&
  html`<div class="alert tone-bad" role="status"><p>Coupon codes without effect, which an order refuses: ${refusedCoupons.map(({ code }) => code).join(', ')}.</p></div>`
}${
  shortages.length > 0 &&
  html`<div class="alert tone-bad" role="status"><p>Stock is short, and the draft cannot become an order:</p>${shortages.map(
    ({ productNumber, wanted, available }) =>
      html`<p>${lines.find((line) => line.productNumber === productNumber)?.name ?? `Product ${productNumber}`}: ${whole(wanted)} wanted, ${whole(available)} available.</p>`,
  )}</div>`
}`
}

/** Why a draft could not become an order now. */
const failure = (calculation: Exclude<Calculation, Calculated>): Html =>
  html`<div class="alert tone-bad" role="status"><p>It could not become an order:</p>${
    calculation.__typename === 'ValidationError'
      ? calculation.errors.map(({ message }) => html`<p>${message}</p>`)
      : html`<p>${calculation.message}</p>`
  }</div>`

type FormsOfPage = { readonly path: string } & Pick<ConsoleRequest<string, Record<never, never>>, 'form' | 'visit' | 'site'>

/** The form that makes a draft an order, at the total that its page shows. */
function completion({ version }: Draft, { total, currency }: Calculated, { path, form: formAt, visit, site }: FormsOfPage): Html {
  const at = `${path}/complete`
  const form = formAt(at)
  return html`<section aria-labelledby="complete"><h2 id="complete">Create the order</h2>
${changeForm(
  at,
  visit,
  site,
  html`${versionField(version)}${onceField()}<input type="hidden" name="expectedTotal" value="${total}">
<p>It reserves the stock. You get a link by which the customer pays ${money(total, currency)}.</p>
${checkbox(form, { name: 'sendsConfirmation', label: 'Send the link by e-mail', stored: true })}
${checkbox(form, { name: 'isPaid', label: 'It is paid already', stored: false })}
<p><button>Create the order</button></p>`,
)}</section>`
}

/**
 * Result of a form, with problems at its fields; `fieldOf` null: it has none for contents. A product
 * or method that is gone is a problem, too.
 */
function toDraftChanged(result: ConsoleDraftResultFragment, notice: string, fieldOf: ReadDraft['fieldOf'] | null): Changed {
  if (result.__typename === 'NotFoundError') return refusedBecause(result.message)
  const number = result.__typename === 'DraftOrderSuccess' ? result.draftOrder.number : ''
  const changed = toChanged(result, { at: `${DRAFTS}/${number}`, notice })
  if (changed.kind !== 'refused' || !changed.fields) return changed
  if (fieldOf === null) return refusedBecause(...changed.problems)
  // The problem stands at its field, which people know by its label.
  const fields = Object.entries(changed.fields).map(
    ([path, problem]) => [fieldOf(path), problem.replace(`"${path}"`, 'this')] as const,
  )
  return { ...changed, fields: Object.fromEntries(fields) }
}

export const draftChanges: readonly ConsoleChange[] = [
  consoleChange({
    path: NEW,
    on: newDraft,
    operations: [ConsoleCreateDraftDocument, ConsoleTransferItemDocument],
    async make({ field, fieldNames, run }) {
      const form = readForm(field)
      const read = await draftOfForm(form, fieldNames, EMPTY_DRAFT, run)
      if (form.hasProblems()) return refusedFields(form.problems())
      const input = { contents: read.contents, idempotencyKey: form.idempotencyKey() }
      const { result } = dataOf(await run(ConsoleCreateDraftDocument, { input }))
      return toDraftChanged(result, 'created', read.fieldOf)
    },
  }),
  consoleChange({
    path: `${DRAFTS}/{number}`,
    on: draft,
    operations: [ConsoleUpdateDraftDocument, ConsoleDraftContentsDocument, ConsoleTransferItemDocument],
    async make({ path: { number }, field, fieldNames, run }) {
      const form = readForm(field)
      const { draftOrder } = dataOf(await run(ConsoleDraftContentsDocument, { number }))
      if (!draftOrder) return { kind: 'gone' }
      const read = await draftOfForm(form, fieldNames, contentsOf(draftOrder), run)
      if (form.hasProblems()) return refusedFields(form.problems())
      const input = { contents: read.contents, expectedVersion: form.version(), idempotencyKey: form.idempotencyKey() }
      const { result } = dataOf(await run(ConsoleUpdateDraftDocument, { number, input }))
      return toDraftChanged(result, 'saved', read.fieldOf)
    },
  }),
  consoleChange({
    path: `${DRAFTS}/{number}/complete`,
    on: draft,
    operations: [ConsoleCompleteDraftDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const input = {
        isPaid: form.isChecked('isPaid'),
        sendsConfirmation: form.isChecked('sendsConfirmation'),
        expectedTotal: form.decimal('expectedTotal'),
        expectedVersion: form.version(),
        idempotencyKey: form.idempotencyKey(),
      }
      if (form.hasProblems()) return refusedFields(form.problems())
      const { result } = dataOf(await run(ConsoleCompleteDraftDocument, { number, input }))
      return toDraftChanged(result, 'completed', null)
    },
  }),
  consoleChange({
    path: `${DRAFTS}/{number}/cancel`,
    on: draft,
    operations: [ConsoleCancelDraftDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const input = { expectedVersion: form.version(), idempotencyKey: form.idempotencyKey() }
      const { result } = dataOf(await run(ConsoleCancelDraftDocument, { number, input }))
      return toDraftChanged(result, 'canceled', null)
    },
  }),
]
