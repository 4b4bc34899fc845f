import {
  ConsoleCreatePromotionDocument,
  ConsoleDeletePromotionDocument,
  ConsolePromotionDocument,
  ConsolePromotionFormDocument,
  type ConsolePromotionQuery,
  ConsoleUpdatePromotionDocument,
  type DiscountTarget,
  type DiscountType,
  type PromotionCustomers,
} from '#generated/operations.ts'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import { refusedFields, toChanged } from '../frame/change.ts'
import { counted } from '../frame/figures.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, foundIn } from '../frame/page.ts'
import { consoleChange } from './change.ts'
import { checkbox, onceField, selectInput, textArea, textInput, versionField } from './fields.ts'
import type { FormState } from './form-state.ts'
import { isRestId, type ListLabels, optionsOf, wordFor } from './list.ts'
import { consolePage } from './page.ts'
import { discountOf, PROMOTIONS, promotionChip } from './promotions.ts'
import { type FormReader, readForm } from './read-form.ts'

const NEW = `${PROMOTIONS}/new`

type Promotion = NonNullable<ConsolePromotionQuery['promotion']>

/** What the form of a new promotion can take a discount off; other targets need lists of products. */
const TARGETS_OF_FORM: ListLabels<DiscountTarget> = lookupTable({
  order: ['ORDER', 'the order'],
  shipping: ['SHIPPING', 'shipping'],
})
const TYPES: ListLabels<DiscountType> = lookupTable({ percent: ['PERCENTAGE', 'percent'], fixed: ['FIX', 'amount'] })
/** Customers that a form can choose; categories are for a program. */
const CUSTOMERS_OF_FORM: ListLabels<PromotionCustomers> = lookupTable({
  all: ['ALL', 'all customers'],
  accounts: ['LOGGEDIN', 'customers with an account'],
  guests: ['GUESTS', 'customers without an account'],
})

type PromotionValues = Omit<Promotion, 'number' | 'version' | 'status' | 'timesUsed'>

const EMPTY_PROMOTION: PromotionValues = {
  name: '',
  enabled: true,
  discountTarget: 'ORDER',
  buysAtLeast: 'NONE',
  conditionPrice: null,
  conditionQty: null,
  type: 'PERCENTAGE',
  discountAmountFix: null,
  discountAmountPercent: null,
  lasts: 'NONE',
  beginsAt: null,
  expiresAt: null,
  maxTimesUsed: null,
  cumulative: false,
  customers: 'ALL',
  coupons: [],
}

const MAX_COUPON_CHARACTERS = 110_000
const MAX_COUPONS = 1_000
const MAX_USES = 2_147_483_647

export const newPromotion = consolePage({
  path: NEW,
  label: 'New promotion',
  operations: [ConsolePromotionFormDocument],
  async body({ run, site, visit, form: formAt }) {
    const { store } = dataOf(await run(ConsolePromotionFormDocument, {}))
    const form = formAt(NEW)
    return html`<p class="trail"><a href="${site.at(PROMOTIONS)}">Promotions</a></p>
<h1>New promotion</h1>
<div class="edit">${changeForm(
      NEW,
      visit,
      site,
      html`${onceField()}${textInput(form, { name: 'name', label: 'Name', stored: '', maxLength: 200, isRequired: true })}
${selectInput(form, { name: 'discountTarget', label: 'The discount is taken off', stored: 'order', options: optionsOf(TARGETS_OF_FORM), hint: 'Discounts of some products are added over the API.' })}
${promotionFields(form, EMPTY_PROMOTION, store.currency)}
<p><button>Add the promotion</button></p>`,
    )}</div>`
  },
})

export const promotion = consolePage({
  path: `${PROMOTIONS}/{number}`,
  label: 'Promotion',
  operations: [ConsolePromotionDocument],
  notices: { created: 'The promotion was added.', saved: 'The promotion was saved.' },
  async body({ path: { number }, run, site, visit, form: formAt }) {
    if (!isRestId(number)) return null
    const answer = await run(ConsolePromotionDocument, { number })
    const { promotion: queried, store } = dataOf(answer)
    const found = foundIn(queried, answer)
    if (found === null) return null
    const path = `${PROMOTIONS}/${number}`
    const form = formAt(path)
    return html`<p class="trail"><a href="${site.at(PROMOTIONS)}">Promotions</a></p>
<div class="heading"><h1>${found.name}</h1>${promotionChip(found)}</div>
<p class="facts"><span>${discountOf(found, store.currency)}</span> <span>in ${counted(found.timesUsed, 'order')} so far</span></p>
<div class="edit">${changeForm(
      path,
      visit,
      site,
      html`${versionField(found.version)}${textInput(form, { name: 'name', label: 'Name', stored: found.name, maxLength: 200, isRequired: true })}
${promotionFields(form, found, store.currency)}
<p><button>Save</button></p>`,
    )}</div>
<details class="confirm"><summary>Delete the promotion…</summary>${changeForm(`${path}/delete`, visit, site, html`${versionField(found.version)}<p>It is deleted with its coupons. To pause it, turn it off.</p><p><button class="danger">Delete this promotion</button></p>`)}</details>`
  },
})

/** Conditions that the form does not show stay as they are. */
const hasPriceCondition = ({ buysAtLeast }: PromotionValues): boolean => ['NONE', 'PRICE'].includes(buysAtLeast)
const hasCustomersField = ({ customers }: PromotionValues): boolean => customers !== 'CATEGORIES'

const promotionFields = (form: FormState, stored: PromotionValues, currency: string): Html =>
  html`${checkbox(form, { name: 'enabled', label: 'Turned on', stored: stored.enabled })}
<div class="fields">${textInput(form, { name: 'amount', label: 'Discount', stored: (stored.type === 'FIX' ? stored.discountAmountFix : stored.discountAmountPercent) ?? '', inputmode: 'decimal', maxLength: 15, isRequired: true })}
${selectInput(form, {
  name: 'type',
  label: 'In',
  stored: wordFor(stored.type, TYPES),
  options: [
    ['percent', 'percent'],
    ['fixed', currency],
  ],
})}</div>
<fieldset><legend>Conditions</legend><div class="fields">
${hasPriceCondition(stored) && textInput(form, { name: 'conditionPrice', label: `Minimum in ${currency}`, stored: stored.conditionPrice ?? '', inputmode: 'decimal', maxLength: 15, hint: 'Of the goods, before discounts.' })}
${hasCustomersField(stored) && selectInput(form, { name: 'customers', label: 'For', stored: wordFor(stored.customers, CUSTOMERS_OF_FORM), options: optionsOf(CUSTOMERS_OF_FORM) })}
${textInput(form, { name: 'maxTimesUsed', label: 'Orders at most', stored: stored.maxTimesUsed === null ? '' : String(stored.maxTimesUsed), inputmode: 'numeric', maxLength: 10 })}
${textInput(form, { name: 'beginsAt', label: 'Begins, UTC', stored: momentIn(stored.beginsAt), type: 'datetime-local', maxLength: 30 })}
${textInput(form, { name: 'expiresAt', label: 'Ends, UTC', stored: momentIn(stored.expiresAt), type: 'datetime-local', maxLength: 30 })}</div>
${hasPriceCondition(stored) && html`<input type="hidden" name="hasPriceCondition" value="yes">`}${hasCustomersField(stored) && html`<input type="hidden" name="hasCustomers" value="yes">`}
${checkbox(form, { name: 'cumulative', label: 'Can be combined with other promotions', stored: stored.cumulative })}</fieldset>
${textArea(form, { name: 'coupons', label: 'Coupons', stored: stored.coupons.map(couponLine).join('\n'), rows: 3, maxLength: MAX_COUPON_CHARACTERS, hint: 'A code per line; behind it, how often it may be used: SUMMER 100. Without coupons the discount is for everybody.' })}`

/** A coupon as its line. A code whose last word is a number has its limit in any case: it would be read as one. */
const couponLine = ({ code, usageLimit }: Promotion['coupons'][number]): string =>
  usageLimit === 0 && !LIMITED.test(code) ? code : `${code} ${usageLimit}`

/** 2026-11-21T13:05: as fields of browsers hold a moment, with its seconds where it has some. */
export const momentIn = (time: string | null): string =>
  time === null ? '' : new Date(time).toISOString().replace(/(:00)?(\.000)?Z$/, '')

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/

/** A moment of such a field; null where it is empty. */
export function momentOfForm(form: FormReader, name: string): string | null {
  const text = form.text(name)
  if (text === '') return null
  const time = MOMENT.test(text) ? new Date(`${text}Z`) : new Date(Number.NaN)
  if (!Number.isNaN(time.getTime())) return time.toISOString()
  form.refuse(name, 'Enter a day and a time, such as 2026-11-21 13:05.')
  return null
}

/** A code, and behind white space how often it may be used. */
const LIMITED = /^(.*\S)\s+(\d+)$/

/** Lines of codes, each with how often it may be used. */
function couponsOfForm(form: FormReader) {
  const lines = (form.lines('coupons') ?? '').split('\n').map((line) => line.trim())
  const coupons = lines
    .filter((line) => line !== '')
    .map((line) => {
      const [, code = line, limit = '0'] = LIMITED.exec(line) ?? []
      return { code, usageLimit: Number(limit) }
    })
  if (coupons.length > MAX_COUPONS) form.refuse('coupons', `Enter at most ${MAX_COUPONS} coupons; these are ${coupons.length}.`)
  const excessive = coupons.find(({ usageLimit }) => usageLimit > MAX_USES)
  if (excessive) form.refuse('coupons', `Enter at most ${MAX_USES} uses; ${excessive.code} has more.`)
  return coupons
}

function promotionInput(form: FormReader) {
  const type = form.choice<readonly [DiscountType, string]>('type', TYPES, ['PERCENTAGE', ''])[0]
  const amount = form.amount('amount', 'a discount')
  const [beginsAt, expiresAt] = [momentOfForm(form, 'beginsAt'), momentOfForm(form, 'expiresAt')]
  const maxTimesUsed = form.whole('maxTimesUsed', { min: 1 })
  const hasDates = beginsAt !== null || expiresAt !== null
  const price = form.decimal('conditionPrice')
  const untilUsed = hasDates ? ('BOTH' as const) : ('MAX_TIMES_USED' as const)
  const untilDate = hasDates ? ('DATE' as const) : ('NONE' as const)
  return {
    name: form.text('name'),
    enabled: form.isChecked('enabled'),
    type,
    ...(type === 'FIX' ? { discountAmountFix: amount } : { discountAmountPercent: amount }),
    lasts: maxTimesUsed === null ? untilDate : untilUsed,
    beginsAt,
    expiresAt,
    maxTimesUsed,
    cumulative: form.isChecked('cumulative'),
    ...(form.isChecked('hasPriceCondition') && {
      buysAtLeast: price === null ? ('NONE' as const) : ('PRICE' as const),
      conditionPrice: price,
    }),
    ...(form.isChecked('hasCustomers') && {
      customers: form.choice<readonly [PromotionCustomers, string]>('customers', CUSTOMERS_OF_FORM, ['ALL', ''])[0],
    }),
    coupons: couponsOfForm(form),
  }
}

/** Names of fields of the API, for those that a form has under another one; `coupons.3.code` is a line of `coupons`. */
const FIELD_NAMES: LookupTable<string> = lookupTable({ discountAmountFix: 'amount', discountAmountPercent: 'amount' })
const formField = (field: string): string => FIELD_NAMES[field] ?? field.replace(/^coupons\..*/, 'coupons')

/** The result of the mutation with the names of fields that the form has. */
const named = <Result extends object>(result: Result): Result =>
  'errors' in result && Array.isArray(result.errors)
    ? { ...result, errors: result.errors.map((error) => ({ ...error, field: formField(error.field) })) }
    : result

export const promotionChanges = [
  consoleChange({
    path: NEW,
    on: newPromotion,
    operations: [ConsoleCreatePromotionDocument],
    async make({ field, run }) {
      const form = readForm(field)
      const discountTarget = form.choice<readonly [DiscountTarget, string]>('discountTarget', TARGETS_OF_FORM, ['ORDER', ''])[0]
      const input = { ...promotionInput(form), discountTarget, idempotencyKey: form.idempotencyKey() }
      if (form.hasProblems()) return refusedFields(form.problems())
      const { result } = dataOf(await run(ConsoleCreatePromotionDocument, { input }))
      const number = result.__typename === 'CreatePromotionSuccess' ? result.promotion.number : ''
      return toChanged(named(result), { at: `${PROMOTIONS}/${number}`, notice: 'created' })
    },
  }),
  consoleChange({
    path: `${PROMOTIONS}/{number}`,
    on: promotion,
    operations: [ConsoleUpdatePromotionDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const input = { ...promotionInput(form), expectedVersion: form.version() }
      if (form.hasProblems()) return refusedFields(form.problems())
      const { result } = dataOf(await run(ConsoleUpdatePromotionDocument, { number, input }))
      return toChanged(named(result), { at: `${PROMOTIONS}/${number}`, notice: 'saved' })
    },
  }),
  consoleChange({
    path: `${PROMOTIONS}/{number}/delete`,
    on: promotion,
    operations: [ConsoleDeletePromotionDocument],
    async make({ path: { number }, field, run }) {
      const { result } = dataOf(await run(ConsoleDeletePromotionDocument, { number, version: readForm(field).version() }))
      return toChanged(result, { at: PROMOTIONS, notice: 'deleted' })
    },
  }),
]
