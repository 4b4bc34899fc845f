import {
  ConsoleCreateStoreCurrencyDocument,
  ConsoleCurrenciesDocument,
  type ConsoleCurrenciesQuery,
  ConsoleDeleteStoreCurrencyDocument,
  ConsoleUpdateStoreCurrencyDocument,
  type RoundingDirection,
} from '#generated/operations.ts'
import { refusedFields, toChanged } from '../frame/change.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import { consoleChange } from './change.ts'
import { onceField, selectInput, textInput, versionField } from './fields.ts'
import type { FormState } from './form-state.ts'
import { optionsOf, wordFor } from './list.ts'
import { consolePage } from './page.ts'
import { ROUNDING_DIRECTIONS } from './price-lists.ts'
import { type FormReader, readForm } from './read-form.ts'

const CURRENCIES = '/console/currencies'
const ADD = `${CURRENCIES}/add`

type Stored = Pick<
  ConsoleCurrenciesQuery['storeCurrencies'][number],
  'rate' | 'rateBase' | 'roundingStep' | 'roundingEnding' | 'roundingDirection'
>

const EMPTY: Stored = { rate: '', rateBase: '1', roundingStep: null, roundingEnding: '0', roundingDirection: 'NEAREST' }

export const currencies = consolePage({
  path: CURRENCIES,
  label: 'Currencies',
  needs: ['read_store', 'read_settings'],
  operations: [ConsoleCurrenciesDocument],
  notices: {
    added: 'The currency was added. Shoppers can choose it within half a minute.',
    saved: 'The rate was saved. Open carts have the new prices; orders keep theirs.',
    deleted: 'The currency was deleted. Orders in it stay.',
  },
  async body({ run, site, visit, form: formAt }) {
    const { store, storeCurrencies } = dataOf(await run(ConsoleCurrenciesDocument, {}))
    return html`<p class="trail"><a href="${site.at('/console/settings')}">Settings</a></p>
<h1>Currencies</h1>
<p class="lead">The store has prices in ${store.currency}. Shoppers can buy in others: prices, fixed discounts, fixed taxes and shipping are converted by your rate. <a href="${site.at('/console/price-lists')}">Price lists</a> can have prices in a currency of their own.</p>
${storeCurrencies.length === 0 && html`<div class="empty"><p><strong>No other currencies yet.</strong></p><p>Add one below.</p></div>`}
${storeCurrencies.map((found) => {
  const path = `${CURRENCIES}/${found.number}`
  const form = formAt(path)
  return html`<section class="part" aria-labelledby="currency-${found.number}"><h2 id="currency-${found.number}">${found.code}</h2>
<p class="facts"><span>${found.rate} ${found.code} for ${found.rateBase} ${store.currency}</span></p>
<details${form.wasRefused && html` open`}><summary>Change ${found.code}</summary>${changeForm(path, visit, site, html`${versionField(found.version)}${currencyFields(form, found, { code: found.code, ofStore: store.currency })}<p><button class="secondary">Save</button></p>`)}</details>
<details class="confirm"><summary>Delete ${found.code}…</summary>${changeForm(`${path}/delete`, visit, site, html`${versionField(found.version)}<p>Carts in it must choose another one.</p><p><button class="danger">Delete this currency</button></p>`)}</details></section>`
})}
<section aria-labelledby="add"><h2 id="add">Add a currency</h2><div class="edit">${changeForm(
      ADD,
      visit,
      site,
      html`${onceField()}${textInput(formAt(ADD), { name: 'code', label: 'Currency', stored: '', maxLength: 3, isRequired: true, hint: 'Three letters, such as USD.' })}
${currencyFields(formAt(ADD), EMPTY, { code: 'the currency', ofStore: store.currency })}<p><button>Add</button></p>`,
    )}</div></section>`
  },
})

const currencyFields = (
  form: FormState,
  stored: Stored,
  { code, ofStore }: { readonly code: string; readonly ofStore: string },
): Html =>
  html`<div class="fields">${textInput(form, { name: 'rate', label: `Amount in ${code}`, stored: stored.rate, inputmode: 'decimal', maxLength: 15, isRequired: true })}
${textInput(form, { name: 'rateBase', label: `is worth in ${ofStore}`, stored: stored.rateBase, inputmode: 'decimal', maxLength: 15, isRequired: true, hint: '1, or more where the amount would be small.' })}
${textInput(form, { name: 'roundingEnding', label: 'Prices end with', stored: stored.roundingEnding, inputmode: 'decimal', maxLength: 15, hint: '0.99 with a step of 1: 4.99, 5.99.' })}
${textInput(form, { name: 'roundingStep', label: 'Step', stored: stored.roundingStep ?? '', inputmode: 'decimal', maxLength: 15, hint: 'Empty: every price that can be paid.' })}
${selectInput(form, { name: 'roundingDirection', label: 'Rounded to', stored: wordFor(stored.roundingDirection, ROUNDING_DIRECTIONS), options: optionsOf(ROUNDING_DIRECTIONS) })}</div>`

const inputOf = (form: FormReader) => ({
  rate: form.amount('rate', 'an amount'),
  rateBase: form.amount('rateBase', 'an amount'),
  roundingStep: form.decimal('roundingStep'),
  roundingEnding: form.decimal('roundingEnding') ?? '0',
  roundingDirection: form.choice<readonly [RoundingDirection, string]>('roundingDirection', ROUNDING_DIRECTIONS, [
    'NEAREST',
    '',
  ])[0],
})

export const currencyChanges = [
  consoleChange({
    path: ADD,
    on: currencies,
    operations: [ConsoleCreateStoreCurrencyDocument],
    async make({ field, run }) {
      const form = readForm(field)
      const input = { code: form.text('code').toUpperCase(), ...inputOf(form), idempotencyKey: form.idempotencyKey() }
      if (form.hasProblems()) return refusedFields(form.problems())
      const { result } = dataOf(await run(ConsoleCreateStoreCurrencyDocument, { input }))
      return toChanged(result, { at: CURRENCIES, notice: 'added' })
    },
  }),
  consoleChange({
    path: `${CURRENCIES}/{number}`,
    on: currencies,
    operations: [ConsoleUpdateStoreCurrencyDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const input = { ...inputOf(form), expectedVersion: form.version() }
      if (form.hasProblems()) return refusedFields(form.problems())
      const { result } = dataOf(await run(ConsoleUpdateStoreCurrencyDocument, { number, input }))
      return toChanged(result, { at: CURRENCIES, notice: 'saved' })
    },
  }),
  consoleChange({
    path: `${CURRENCIES}/{number}/delete`,
    on: currencies,
    operations: [ConsoleDeleteStoreCurrencyDocument],
    async make({ path: { number }, field, run }) {
      const { result } = dataOf(await run(ConsoleDeleteStoreCurrencyDocument, { number, version: readForm(field).version() }))
      return toChanged(result, { at: CURRENCIES, notice: 'deleted' })
    },
  }),
]
