import {
  ConsoleCreatePriceListDocument,
  ConsoleDeletePriceListDocument,
  ConsolePriceListDocument,
  ConsolePriceListFormDocument,
  type ConsolePriceListFormQuery,
  type ConsolePriceListQuery,
  ConsoleUpdatePriceListDocument,
  type RoundingDirection,
} from '#generated/operations.ts'
import { refusedFields, toChanged } from '../frame/change.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, foundIn } from '../frame/page.ts'
import { consoleChange } from './change.ts'
import { checkbox, onceField, selectInput, textInput, versionField } from './fields.ts'
import type { FormState } from './form-state.ts'
import { isRestId, optionsOf, wordFor } from './list.ts'
import { consolePage } from './page.ts'
import { fixedPrices } from './price-list-prices.ts'
import { adjustmentOf, PRICE_LISTS, priceListChip, ROUNDING_DIRECTIONS } from './price-lists.ts'
import { momentIn, momentOfForm } from './promotion.ts'
import { type FormReader, readForm } from './read-form.ts'

const NEW = `${PRICE_LISTS}/new`
const EVERYBODY = 'all'
const NEEDS = ['read_products', 'read_customers', 'read_settings']

type Found = NonNullable<ConsolePriceListQuery['priceList']>
type Stored = Omit<Found, 'number' | 'version' | 'prices'>
type Choices = Pick<ConsolePriceListFormQuery, 'customerCategories' | 'store' | 'storeCurrencies'>

/** A new list is in the currency of the store. */
type Fields = Omit<Stored, 'currency'> & { readonly currency: string | null }

const EMPTY: Fields = {
  currency: null,
  ...{ name: '', active: true, customerCategory: null, customerCategoryNumber: null, priority: 0, startsAt: null, endsAt: null },
  ...{ adjustmentPercent: null, roundingStep: null, roundingEnding: '0', roundingDirection: 'NEAREST' },
}

export const newPriceList = consolePage({
  path: NEW,
  label: 'New price list',
  needs: NEEDS,
  operations: [ConsolePriceListFormDocument],
  async body({ run, site, visit, form: formAt }) {
    const choices = dataOf(await run(ConsolePriceListFormDocument, {}))
    return html`<p class="trail"><a href="${site.at(PRICE_LISTS)}">Price lists</a></p>
<h1>New price list</h1>
<div class="edit">${changeForm(
      NEW,
      visit,
      site,
      html`${onceField()}${listFields(formAt(NEW), EMPTY, choices)}
<p><button>Add the price list</button></p>
<p class="quiet">Fixed prices are added on its page.</p>`,
    )}</div>`
  },
})

export const priceList = consolePage({
  path: `${PRICE_LISTS}/{number}`,
  label: 'Price list',
  needs: NEEDS,
  operations: [ConsolePriceListDocument],
  parameters: { after: { kind: 'text', max: 1_000 } },
  notices: {
    created: 'The price list was added.',
    saved: 'The price list was saved. Open carts have the new prices; orders keep theirs.',
    priced: 'The fixed prices were saved.',
    removed: 'The fixed price was removed.',
  },
  async body({ path: { number }, query, run, site, visit, form: formAt }) {
    if (!isRestId(number)) return null
    const answer = await run(ConsolePriceListDocument, { number, after: query.after })
    const { priceList: queried, ...choices } = dataOf(answer)
    const found = foundIn(queried, answer)
    if (found === null) return null
    const path = `${PRICE_LISTS}/${number}`
    return html`<p class="trail"><a href="${site.at(PRICE_LISTS)}">Price lists</a></p>
<div class="heading"><h1>${found.name}</h1>${priceListChip(found)}</div>
<p class="facts"><span>${adjustmentOf(found)}</span></p>
<div class="edit">${changeForm(
      path,
      visit,
      site,
      html`${versionField(found.version)}${listFields(formAt(path), found, choices)}
<p><button>Save</button></p>`,
    )}</div>
${fixedPrices(found, choices.store.currency, { path, query, formAt, visit, site })}
<details class="confirm"><summary>Delete the price list…</summary>${changeForm(`${path}/delete`, visit, site, html`${versionField(found.version)}<p>It is deleted with its fixed prices. To pause it, turn it off.</p><p><button class="danger">Delete this price list</button></p>`)}</details>`
  },
})

function listFields(form: FormState, stored: Fields, { store, customerCategories, storeCurrencies }: Choices): Html {
  const currency = stored.currency ?? store.currency
  return html`${textInput(form, { name: 'name', label: 'Name', stored: stored.name, maxLength: 200, isRequired: true })}
${checkbox(form, { name: 'active', label: 'Turned on', stored: stored.active })}
<div class="fields">${selectInput(form, {
    name: 'customerCategoryId',
    label: 'For',
    stored: stored.customerCategoryNumber === null ? EVERYBODY : String(stored.customerCategoryNumber),
    options: categoryOptions(stored, customerCategories.nodes),
  })}
${selectInput(form, { name: 'currency', label: 'Currency', stored: currency, options: [store.currency, ...storeCurrencies.map(({ code }) => code)].map((code) => [code, code] as const) })}
${textInput(form, { name: 'priority', label: 'Priority', stored: String(stored.priority), inputmode: 'numeric', maxLength: 4, hint: '0 to 1000. Of two lists, the higher one comes first.' })}
${textInput(form, { name: 'startsAt', label: 'Begins, UTC', stored: momentIn(stored.startsAt), type: 'datetime-local', maxLength: 30 })}
${textInput(form, { name: 'endsAt', label: 'Ends, UTC', stored: momentIn(stored.endsAt), type: 'datetime-local', maxLength: 30 })}</div>
<fieldset><legend>Adjustment of all prices</legend><div class="fields">
${textInput(form, { name: 'adjustmentPercent', label: 'Percent', stored: stored.adjustmentPercent ?? '', maxLength: 10, hint: '-10 is a tenth less. Empty: fixed prices alone.' })}
${selectInput(form, { name: 'roundingDirection', label: 'Rounded to', stored: wordFor(stored.roundingDirection, ROUNDING_DIRECTIONS), options: optionsOf(ROUNDING_DIRECTIONS) })}
${textInput(form, { name: 'roundingEnding', label: `Ending in ${currency}`, stored: stored.roundingEnding, inputmode: 'decimal', maxLength: 15, hint: '0.99 with a step of 1: 4.99, 5.99.' })}
${textInput(form, { name: 'roundingStep', label: `Step in ${currency}`, stored: stored.roundingStep ?? '', inputmode: 'decimal', maxLength: 15, hint: 'Empty: every price that can be paid.' })}</div></fieldset>`
}

/** That of the list is among them, also where a store has more than are shown. */
function categoryOptions(
  { customerCategory: own }: Pick<Stored, 'customerCategory'>,
  nodes: Choices['customerCategories']['nodes'],
) {
  const all = own && !nodes.some(({ number }) => number === own.number) ? [...nodes, own] : nodes
  return [[EVERYBODY, 'everybody'] as const, ...all.map(({ number, name }) => [String(number), name] as const)]
}

/** A number that may be below zero; null where the field is empty. */
function percentOfForm(form: FormReader): string | null {
  const text = form.text('adjustmentPercent')
  if (text === '' || /^-?\d{1,4}(\.\d{1,4})?$/.test(text)) return text || null
  form.refuse('adjustmentPercent', 'Enter a number such as -10 or 2.5.')
  return null
}

function listInput(form: FormReader) {
  const category = form.text('customerCategoryId')
  // Everybody must be chosen: a form without the field gives nobody the prices of a category.
  if (category !== EVERYBODY && !isRestId(category)) form.refuse('customerCategoryId', 'Choose one of the list.')
  return {
    name: form.text('name'),
    active: form.isChecked('active'),
    customerCategoryId: category === EVERYBODY ? null : category,
    currency: form.optional('currency'),
    priority: form.whole('priority', { max: 1_000 }) ?? 0,
    startsAt: momentOfForm(form, 'startsAt'),
    endsAt: momentOfForm(form, 'endsAt'),
    adjustmentPercent: percentOfForm(form),
    roundingStep: form.decimal('roundingStep'),
    roundingEnding: form.decimal('roundingEnding') ?? '0',
    roundingDirection: form.choice<readonly [RoundingDirection, string]>('roundingDirection', ROUNDING_DIRECTIONS, [
      'NEAREST',
      '',
    ])[0],
  }
}

export const priceListChanges = [
  consoleChange({
    path: NEW,
    on: newPriceList,
    operations: [ConsoleCreatePriceListDocument],
    async make({ field, run }) {
      const form = readForm(field)
      const input = { ...listInput(form), idempotencyKey: form.idempotencyKey() }
      if (form.hasProblems()) return refusedFields(form.problems())
      const { result } = dataOf(await run(ConsoleCreatePriceListDocument, { input }))
      const number = result.__typename === 'PriceListSuccess' ? result.priceList.number : ''
      return toChanged(result, { at: `${PRICE_LISTS}/${number}`, notice: 'created' })
    },
  }),
  consoleChange({
    path: `${PRICE_LISTS}/{number}`,
    on: priceList,
    operations: [ConsoleUpdatePriceListDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const input = { ...listInput(form), expectedVersion: form.version() }
      if (form.hasProblems()) return refusedFields(form.problems())
      const { result } = dataOf(await run(ConsoleUpdatePriceListDocument, { number, input }))
      return toChanged(result, { at: `${PRICE_LISTS}/${number}`, notice: 'saved' })
    },
  }),
  consoleChange({
    path: `${PRICE_LISTS}/{number}/delete`,
    on: priceList,
    operations: [ConsoleDeletePriceListDocument],
    async make({ path: { number }, field, run }) {
      const { result } = dataOf(await run(ConsoleDeletePriceListDocument, { number, version: readForm(field).version() }))
      return toChanged(result, { at: PRICE_LISTS, notice: 'deleted' })
    },
  }),
]
