import {
  ConsoleCreateLocationDocument,
  ConsoleCreatePaymentMethodDocument,
  ConsoleSettingsDocument,
  type ConsoleSettingsQuery,
  ConsoleUpdatePaymentMethodDocument,
  ConsoleUpdateShippingMethodDocument,
  ConsoleUpdateStoreDocument,
  type WeightUnit,
} from '#generated/operations.ts'
import { lookupTable } from '../../platform/collections/lookup-table.ts'
import { refusedFields, toChanged } from '../frame/change.ts'
import { chip } from '../frame/chip.ts'
import { changeForm, type Visit } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import { pathIn, type Site } from '../frame/site.ts'
import { consoleChange } from './change.ts'
import { checkbox, onceField, secretInput, selectInput, textArea, textInput, versionField } from './fields.ts'
import type { FormState } from './form-state.ts'
import { consolePage } from './page.ts'
import { type FormReader, readForm } from './read-form.ts'

const SETTINGS = '/console/settings'

type Settings = ConsoleSettingsQuery
type SettingsPage = {
  readonly found: Settings
  readonly form: (path: string) => FormState
  readonly visit: Visit
  readonly site: Site
}

const MAX_RETURN_DAYS = 365
const WEIGHT_UNITS = lookupTable<WeightUnit>({ KG: 'KG', LB: 'LB' })

export const settings = consolePage({
  path: SETTINGS,
  label: 'Settings',
  needs: ['read_store', 'read_locations', 'read_payment_methods', 'read_shipping_methods'],
  operations: [ConsoleSettingsDocument],
  notices: {
    saved: 'The settings were saved.',
    located: 'The location was added.',
    connected: 'Stripe was added. Set up its webhook, as described beside it, and then let shoppers choose it.',
  },
  async body({ run, site, visit, form }) {
    const found = dataOf(await run(ConsoleSettingsDocument, {}))
    const page: SettingsPage = { found, form, visit, site }
    return html`<h1>Settings</h1>
<div class="with-aside"><section aria-labelledby="store"><h2 id="store">Store</h2>${storeForm(page)}</section>
<div class="aside">${paymentMethods(page)}
${shippingMethods(page)}
${locations(page)}</div></div>`
  },
})

function storeForm({ found: { store }, form: formAt, visit, site }: SettingsPage): Html {
  const form = formAt(SETTINGS)
  return html`<dl class="facts-list"><dt>Shop</dt><dd><a href="${pathIn(store.url)}">${store.url}</a></dd><dt>Code</dt><dd><code>${store.code}</code></dd>
<dt>Currency</dt><dd>${store.currency} <a href="${site.at('/console/currencies')}">Sell in others</a> <span class="quiet">Changed over the API, with the prices.</span></dd><dt>Country</dt><dd>${store.country}</dd><dt>Languages</dt><dd>${store.languages.map(({ name }) => name).join(', ')}</dd></dl>
<div class="edit">${changeForm(
    SETTINGS,
    visit,
    site,
    html`${versionField(store.version)}${textInput(form, { name: 'name', label: 'Name', stored: store.name, maxLength: 50, isRequired: true, hint: 'Shoppers see it.' })}
${textInput(form, { name: 'email', label: 'E-mail address of the owner', stored: store.email ?? '', type: 'email', maxLength: 254 })}
${textInput(form, { name: 'whatsappPhone', label: 'Phone number for messages', stored: store.whatsappPhone ?? '', type: 'tel', maxLength: 30 })}
${textInput(form, { name: 'logo', label: 'Address of the logo', stored: store.logo ?? '', type: 'url', maxLength: 2_000 })}
<div class="fields">${textInput(form, { name: 'timezone', label: 'Time zone', stored: store.timezone, maxLength: 100, isRequired: true, hint: 'Such as Europe/Lisbon. Days of sales begin there.' })}
${selectInput(form, {
  name: 'weightUnit',
  label: 'Weight unit',
  stored: store.weightUnit,
  options: [
    ['KG', 'kilogram'],
    ['LB', 'pound'],
  ],
})}</div>
<fieldset><legend>Checkout</legend>
${checkbox(form, { name: 'sendsOrderConfirmations', label: 'Shoppers get an e-mail that confirms their order', stored: store.sendsOrderConfirmations })}
<p class="quiet field-hint">None is sent where the installation has no mail server. <a href="${site.at('/console/mail-texts')}">Texts of e-mails to shoppers</a></p>
<div class="fields">${textInput(form, { name: 'returnWindowDays', label: 'Days to request a return', stored: String(store.returnWindowDays), inputmode: 'numeric', maxLength: 3, isRequired: true, hint: 'Shoppers with an account; 0: they cannot.' })}</div></fieldset>
<fieldset><legend>Stock</legend>
${checkbox(form, { name: 'sendsLowStockAlerts', label: 'E-mail about items that are low in stock', stored: store.sendsLowStockAlerts })}
<p class="quiet field-hint">To the owner, and to staff with an address for it: at most one in 15 minutes, and each item once until it is stocked up. Which items, and from how many units on, is set at each product.</p></fieldset>
<p><button>Save</button></p>`,
  )}</div>`
}

function paymentMethods(page: SettingsPage): Html {
  const { paymentMethods: methods } = page.found
  return html`<section aria-labelledby="payment-methods"><h2 id="payment-methods">Payment methods</h2>
${methods.length === 0 && html`<div class="empty"><p><strong>No payment methods yet.</strong></p><p>Shoppers cannot pay before there is one. <a href="${page.site.at('/docs/store')}#sell-with-atrium">Add one over the API</a>, or connect Stripe.</p></div>`}
${methods.map((method) => paymentMethod(page, method))}${connectingStripe(page)}</section>`
}

function paymentMethod({ form: formAt, visit, site }: SettingsPage, method: Settings['paymentMethods'][number]): Html {
  const path = `${SETTINGS}/edit/payment/${method.number}`
  const form = formAt(path)
  const isStripe = method.type === 'STRIPE'
  return html`<div class="part"><h3>${method.name} ${method.enabled ? (!isStripe || method.hasCredentials) && chip('offered', 'good') : chip('off', 'none')} ${isStripe && modeOf(method)}</h3><details${(form.wasRefused || (isStripe && !method.hasCredentials)) && html` open`}><summary>Change ${method.name}</summary>${changeForm(
    path,
    visit,
    site,
    html`${versionField(method.version)}${textInput(form, { name: 'name', label: 'Name', stored: method.name, maxLength: 200, isRequired: true })}
${textArea(form, { name: 'description', label: 'How shoppers pay', stored: method.description ?? '', rows: 3, maxLength: 5_000, hint: 'Shown after the order, such as the number of a bank account.' })}
${
  isStripe &&
  html`<p>Add a webhook at Stripe with this address, for the events in the <a href="${site.at('/docs/store')}#stripe">documentation</a>: <code>${method.notificationUrl}</code></p>
${secretInput(form, { name: 'secret', label: 'Signing secret of the webhook', hint: 'Begins with whsec_. Two, with a comma between them, while it is replaced. Empty: stays as it is.' })}
${secretInput(form, { name: 'key', label: 'API key', hint: STRIPE_KEY_HINT })}`
}
${checkbox(form, { name: 'enabled', label: 'Shoppers can choose it', stored: method.enabled })}
<p><button class="secondary">Save the payment method</button></p>`,
  )}</details></div>`
}

const STRIPE_KEY_HINT = 'Begins with rk_ or sk_. It is stored encrypted, and never shown. Empty: stays as it is.'

/** Whether money moves, as long as everything is there that payments need. */
function modeOf({ hasCredentials, testMode }: Settings['paymentMethods'][number]): Html {
  if (!hasCredentials) return chip('not set up', 'bad')
  if (testMode === null) return chip('unknown mode', 'doubt')
  return testMode ? chip('test mode', 'doubt') : chip('live mode', 'good')
}

function connectingStripe({ form: formAt, visit, site }: SettingsPage): Html {
  const path = `${SETTINGS}/add/stripe`
  const form = formAt(path)
  return html`<details${form.wasRefused && html` open`}><summary>Connect Stripe</summary>${changeForm(
    path,
    visit,
    site,
    html`${onceField()}<p>Shoppers pay on a page of Stripe, with your account there.</p>
${textInput(form, { name: 'name', label: 'Name', stored: 'Card', maxLength: 200, isRequired: true, hint: 'Shoppers see it.' })}
${secretInput(form, { name: 'key', label: 'API key', hint: 'A restricted key (rk_…) that may write Checkout Sessions, PaymentIntents and Refunds, or a secret key (sk_…).' })}
<p><button class="secondary">Connect Stripe</button></p>`,
  )}</details>`
}

function shippingMethods({ found, form: formAt, visit, site }: SettingsPage): Html {
  return html`<section aria-labelledby="shipping-methods"><h2 id="shipping-methods">Shipping methods</h2>
${found.shippingMethods.length === 0 && html`<div class="empty"><p><strong>No shipping methods yet.</strong></p><p>Goods cannot be sent before there is one. <a href="${site.at('/docs/store')}#sell-with-atrium">Add one over the API</a>.</p></div>`}
${found.shippingMethods.map((method) => {
  const path = `${SETTINGS}/edit/shipping/${method.number}`
  const form = formAt(path)
  return html`<div class="part"><h3>${method.name} ${method.enabled ? chip('offered', 'good') : chip('off', 'none')}</h3><details${form.wasRefused && html` open`}><summary>Change ${method.name}</summary>${changeForm(
    path,
    visit,
    site,
    html`${versionField(method.version)}${textInput(form, { name: 'name', label: 'Name', stored: method.name, maxLength: 200, isRequired: true })}
${checkbox(form, { name: 'enabled', label: 'Shoppers can choose it', stored: method.enabled })}
<p class="quiet">Its prices are changed <a href="${site.at('/reference/store')}">over the API</a>.</p>
<p><button class="secondary">Save the shipping method</button></p>`,
  )}</details></div>`
})}</section>`
}

function locations({ found, form: formAt, visit, site }: SettingsPage): Html {
  const path = `${SETTINGS}/add/location`
  const form = formAt(path)
  return html`<section aria-labelledby="locations"><h2 id="locations">Locations</h2>
${found.locations.length === 0 ? html`<p>None yet. Stock is counted per location, and parcels are sent from one.</p>` : html`<ul>${found.locations.map(({ name, active, main, pickupPoint, address }) => html`<li><strong>${name}</strong>, ${address.address}, ${address.city} ${main && chip('main', 'none')} ${pickupPoint && chip('pickup', 'none')} ${!active && chip('inactive', 'doubt')}</li>`)}</ul>`}
<details${form.wasRefused && html` open`}><summary>Add a location</summary>${changeForm(
    path,
    visit,
    site,
    html`${onceField()}<div class="fields">${textInput(form, { name: 'name', label: 'Name', stored: '', maxLength: 100, isRequired: true })}
${textInput(form, { name: 'address', label: 'Street and number', stored: '', maxLength: 200, isRequired: true })}
${textInput(form, { name: 'postal', label: 'Postal code', stored: '', maxLength: 200 })}
${textInput(form, { name: 'city', label: 'City', stored: '', maxLength: 200, isRequired: true })}
${textInput(form, { name: 'country', label: 'Country', stored: found.store.country, maxLength: 2, isRequired: true, hint: 'Two letters, such as PT.' })}</div>
${checkbox(form, { name: 'pickupPoint', label: 'Shoppers can pick up orders here', stored: false })}
<p><button class="secondary">Add the location</button></p>`,
  )}</details></section>`
}

/** Credentials of a form; fields left empty keep what is stored. */
function secretsIn(form: FormReader): { readonly key?: string; readonly secret?: string } {
  const [key, secret] = [form.optional('key'), form.optional('secret')]
  return { ...(key !== null && { key }), ...(secret !== null && { secret }) }
}

const SAVED = { at: SETTINGS, notice: 'saved' }

export const settingsChanges = [
  consoleChange({
    path: SETTINGS,
    on: settings,
    operations: [ConsoleUpdateStoreDocument],
    async make({ field, run }) {
      const form = readForm(field)
      const input = {
        name: form.text('name'),
        email: form.optional('email'),
        whatsappPhone: form.optional('whatsappPhone'),
        logo: form.optional('logo'),
        timezone: form.text('timezone'),
        weightUnit: form.choice<WeightUnit>('weightUnit', WEIGHT_UNITS, 'KG'),
        sendsOrderConfirmations: form.isChecked('sendsOrderConfirmations'),
        sendsLowStockAlerts: form.isChecked('sendsLowStockAlerts'),
        returnWindowDays: form.count('returnWindowDays', 'a number of days', { max: MAX_RETURN_DAYS }),
        expectedVersion: form.version(),
      }
      if (form.hasProblems()) return refusedFields(form.problems())
      return toChanged(dataOf(await run(ConsoleUpdateStoreDocument, { input })).result, SAVED)
    },
  }),
  consoleChange({
    path: `${SETTINGS}/edit/payment/{number}`,
    on: settings,
    operations: [ConsoleUpdatePaymentMethodDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const input = {
        name: form.text('name'),
        description: form.lines('description'),
        enabled: form.isChecked('enabled'),
        expectedVersion: form.version(),
        ...secretsIn(form),
      }
      return toChanged(dataOf(await run(ConsoleUpdatePaymentMethodDocument, { number, input })).result, SAVED)
    },
  }),
  consoleChange({
    path: `${SETTINGS}/add/stripe`,
    on: settings,
    operations: [ConsoleCreatePaymentMethodDocument],
    async make({ field, run }) {
      const form = readForm(field)
      const key = form.optional('key')
      if (key === null) form.refuse('key', 'Enter the API key.')
      if (form.hasProblems()) return refusedFields(form.problems())
      // Shoppers must not choose it before its webhook is set up.
      const made = { type: 'STRIPE' as const, enabled: false, idempotencyKey: form.idempotencyKey() }
      const input = { ...made, name: form.text('name'), key }
      const { result } = dataOf(await run(ConsoleCreatePaymentMethodDocument, { input }))
      return toChanged(result, { at: SETTINGS, notice: 'connected' })
    },
  }),
  consoleChange({
    path: `${SETTINGS}/edit/shipping/{number}`,
    on: settings,
    operations: [ConsoleUpdateShippingMethodDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const input = { name: form.text('name'), enabled: form.isChecked('enabled'), expectedVersion: form.version() }
      return toChanged(dataOf(await run(ConsoleUpdateShippingMethodDocument, { number, input })).result, SAVED)
    },
  }),
  consoleChange({
    path: `${SETTINGS}/add/location`,
    on: settings,
    operations: [ConsoleCreateLocationDocument],
    async make({ field, run }) {
      const form = readForm(field)
      const input = {
        name: form.text('name'),
        address: form.text('address'),
        postal: form.optional('postal'),
        city: form.text('city'),
        country: form.text('country').toUpperCase(),
        pickupPoint: form.isChecked('pickupPoint'),
        idempotencyKey: form.idempotencyKey(),
      }
      return toChanged(dataOf(await run(ConsoleCreateLocationDocument, { input })).result, { at: SETTINGS, notice: 'located' })
    },
  }),
]
