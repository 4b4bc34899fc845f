import {
  type ConsolePriceListQuery,
  ConsoleRemovePriceListPricesDocument,
  ConsoleSetPriceListPricesDocument,
  ConsoleTransferItemDocument,
  type PriceListPriceInput,
} from '#generated/operations.ts'
import { refusedFields, toChanged } from '../frame/change.ts'
import { counted, money, whole } from '../frame/figures.ts'
import { changeForm, type Visit } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, type RunPageOperation } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { type ConsoleChange, consoleChange } from './change.ts'
import { onceField, textArea } from './fields.ts'
import type { FormState } from './form-state.ts'
import { nextLinks } from './list.ts'
import type { ConsoleRow } from './page.ts'
import { PRICE_LISTS } from './price-lists.ts'
import { type FormReader, readForm } from './read-form.ts'
import { itemOf } from './transfer-new.ts'

/** Each is looked up by itself. More are sent by a program. */
const MAX_LINES = 50

type Found = NonNullable<ConsolePriceListQuery['priceList']>
type Price = Found['prices']['nodes'][number]
type Forms = {
  /** Of the page of the list. */
  readonly path: string
  readonly query: { readonly after: string | null }
  readonly formAt: (path: string) => FormState
  readonly visit: Visit
  readonly site: Site
}

const nameOf = ({ product, productNumber, variant }: Price): string => {
  const options = variant?.options.map(({ value }) => value).join(', ')
  return `${product?.name ?? `Product ${productNumber}`}${options ? `, ${options}` : ''}`
}

/** Fixed prices of a list, and the forms that set and remove them. */
export function fixedPrices({ prices, currency }: Found, ofStore: string, { path, query, formAt, visit, site }: Forms): Html {
  const form = formAt(`${path}/prices`)
  return html`<section aria-labelledby="prices"><h2 id="prices">Fixed prices</h2>
<p class="quiet">They win over the adjustment. ${prices.totalCount === 0 ? 'There are none yet.' : `${counted(prices.totalCount, 'price')} of one unit.`}</p>
${
  prices.nodes.length > 0 &&
  html`<div class="wide" tabindex="0" role="region" aria-label="Fixed prices"><table>
<thead><tr><th scope="col">Item</th><th scope="col" class="number">From units</th><th scope="col" class="number">Price</th><th scope="col" class="number">Otherwise</th><th scope="col" class="number">Compared with</th><th scope="col">Change</th></tr></thead>
<tbody>${prices.nodes.map((price) => {
    const { productNumber, variantNumber, minimumQuantity, variant, product, compareAtPrice } = price
    const otherwise = variant?.price ?? product?.price
    return html`<tr><th scope="row"><a href="${site.at(`/console/products/${productNumber}`)}">${nameOf(price)}</a></th><td class="number">${whole(minimumQuantity)}</td><td class="number">${money(price.price, currency)}</td><td class="number">${otherwise !== undefined && money(otherwise, ofStore)}</td><td class="number">${compareAtPrice !== null && money(compareAtPrice, currency)}</td><td>${changeForm(
      `${path}/prices/remove`,
      visit,
      site,
      html`<input type="hidden" name="product" value="${productNumber}"><input type="hidden" name="variant" value="${variantNumber ?? ''}"><input type="hidden" name="minimum" value="${minimumQuantity}"><button class="plain" aria-label="Remove the price of ${nameOf(price)} from ${whole(minimumQuantity)} on">Remove</button>`,
    )}</td></tr>`
  })}</tbody></table></div>`
}
${nextLinks(path, query, prices.pageInfo, site)}
<div class="edit">${changeForm(
    `${path}/prices`,
    visit,
    site,
    html`${onceField()}${textArea(form, { name: 'lines', label: 'Set prices', stored: '', rows: 4, maxLength: 10_000, isRequired: true, hint: `One a line: stock keeping unit (SKU), price in ${currency}, and from how many units on where that is not 1: CUP-BLUE 7.50 10. At most ${MAX_LINES}.` })}
<p><button>Set the prices</button></p>`,
  )}</div></section>`
}

/** The forms of fixed prices, on the page of their list. */
export const fixedPriceChanges = (on: ConsoleRow): readonly ConsoleChange[] => [
  consoleChange({
    path: `${PRICE_LISTS}/{number}/prices`,
    on,
    operations: [ConsoleSetPriceListPricesDocument, ConsoleTransferItemDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const input = { prices: await pricesOfForm(form, run), idempotencyKey: form.idempotencyKey() }
      if (form.hasProblems()) return refusedFields(form.problems())
      const { result } = dataOf(await run(ConsoleSetPriceListPricesDocument, { number, input }))
      if (result.__typename === 'ValidationError')
        return refusedFields({ lines: result.errors.map(({ message }) => message).join(' ') })
      return toChanged(result, { at: `${PRICE_LISTS}/${number}`, notice: 'priced' })
    },
  }),
  consoleChange({
    path: `${PRICE_LISTS}/{number}/prices/remove`,
    on,
    operations: [ConsoleRemovePriceListPricesDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const minimumQuantity = form.whole('minimum', { min: 1 })
      const items = [{ productId: form.text('product'), variantId: form.optional('variant'), minimumQuantity }]
      if (form.hasProblems()) return refusedFields(form.problems())
      const { result } = dataOf(await run(ConsoleRemovePriceListPricesDocument, { number, input: { items } }))
      return toChanged(result, { at: `${PRICE_LISTS}/${number}`, notice: 'removed' })
    },
  }),
]

/** The prices of the form, by stock keeping units. */
async function pricesOfForm(form: FormReader, run: RunPageOperation): Promise<readonly PriceListPriceInput[]> {
  const texts = (form.lines('lines') ?? '').split('\n').filter((text) => text.trim() !== '')
  if (texts.length < 1 || texts.length > MAX_LINES) form.refuse('lines', `Enter 1 to ${MAX_LINES} lines.`)
  const prices: PriceListPriceInput[] = []
  for (const text of texts.slice(0, MAX_LINES)) {
    const line = await priceOfLine(text, run)
    if (typeof line === 'string') {
      form.refuse('lines', line)
      break
    }
    prices.push(line)
  }
  return prices
}

/** The price that a line sets, or why it sets none. */
async function priceOfLine(text: string, run: RunPageOperation): Promise<PriceListPriceInput | string> {
  const readings = readingsOf(text)
  const [first, other] = readings
  if (!first) return `Expected a stock keeping unit and a price, got “${text.slice(0, 60)}”.`
  const found: PriceListPriceInput[] = []
  for (const { sku, price, minimumQuantity } of readings) {
    const item = await itemOf(sku, run)
    if (item) found.push({ ...item, price, minimumQuantity })
  }
  const [line] = found
  if (!line) return `Expected the stock keeping unit of one item, got “${first.sku.slice(0, 60)}”.`
  return other && found.length > 1
    ? `“${text.trim().slice(0, 60)}” can be of “${first.sku}”, or of “${other.sku}” from 1 on. Add the 1 for the latter, or decimals to the price for the former.`
    : line
}

type Reading = { readonly sku: string; readonly price: string; readonly minimumQuantity: number }

/** What a line may mean: its last one or two words are numbers, the rest is the SKU. */
function readingsOf(text: string): readonly Reading[] {
  const words = text.trim().split(/\s+/)
  const [last = '', before = ''] = [words.at(-1), words.at(-2)]
  const hasMinimum = words.length > 2 && /^[1-9]\d{0,6}$/.test(last) && PRICE.test(before)
  const sku = (end: number) => words.slice(0, end).join(' ')
  return [
    ...(hasMinimum ? [{ sku: sku(-2), price: before, minimumQuantity: Number(last) }] : []),
    ...(words.length > 1 && PRICE.test(last) ? [{ sku: sku(-1), price: last, minimumQuantity: 1 }] : []),
  ]
}

const PRICE = /^\d{1,10}(\.\d{1,4})?$/
