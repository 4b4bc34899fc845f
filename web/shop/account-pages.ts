import { createHash } from 'node:crypto'
import type { ShopAccountPageQuery } from '#generated/operations.ts'
import { type FormProblems, invalid, NO_PROBLEMS, problemOf, problemSummary, textField } from '../frame/fields.ts'
import { counted, dayOf, money } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import type { WebPage } from '../frame/page.ts'
import type { RefusedForm } from './cart-page.ts'
import { formToken } from './cart-page.ts'
import { ADDRESS_FIELDS, addressFields } from './checkout-page.ts'
import { frameOf, type ShopLinks } from './frame.ts'

export type AccountShop = NonNullable<ShopAccountPageQuery['storefront']>
type Account = NonNullable<AccountShop['customerAccount']>
type Order = Account['orders']['nodes'][number]['order']

const MIN_PASSWORD_CHARACTERS = 8
const MAX_PASSWORD_CHARACTERS = 256
/** As many as the graph keeps. */
const MAX_ADDRESSES = 10

/** Which form of a page was refused. */
type RefusedAs<Form extends string> = RefusedForm & { readonly form: Form }

/** For who is not signed in: by a password, or by a link, which also creates an account. */
export function signInPage(
  shop: AccountShop,
  links: ShopLinks,
  refused: (RefusedAs<'sign-in' | 'request'> & { readonly status?: number }) | null = null,
): WebPage {
  const of = (form: string) => (refused?.form === form ? refused : null)
  const [signIn, request] = [of('sign-in'), of('request')]
  return {
    title: 'Sign in',
    description: `Your account at ${shop.name}.`,
    frame: frameOf(shop, links),
    ...(refused && { status: refused.status ?? 422 }),
    body: html`<div class="narrow"><h1>Sign in</h1>
${problemSummary(refused?.problems ?? NO_PROBLEMS)}
${
  shop.hasCustomerAccounts
    ? html`<form method="post" action="${links.to('/account/sign-in')}" class="stacked">
${emailField('email', signIn)}
${passwordField('password', 'Password', 'current-password', signIn?.problems ?? NO_PROBLEMS)}
<p class="actions"><button>Sign in</button></p></form>
<section aria-labelledby="by-mail"><h2 id="by-mail">New here, or no password?</h2>
<p>We send a link to your e-mail address. It signs you in, and creates an account when you have none.</p>
<form method="post" action="${links.to('/account/request')}" class="stacked">
${emailField('request-email', request)}
<p class="actions"><button class="secondary">Send me a link</button></p></form></section>`
    : html`<p class="lead">This shop has no accounts. Orders are found by the link that you got with them.</p>`
}</div>`,
  }
}

const emailField = (name: string, refused: RefusedForm | null): Html =>
  textField(
    {
      name,
      label: 'E-mail address',
      type: 'email',
      value: refused?.typed(name) ?? '',
      autocomplete: 'email',
      required: true,
      maxLength: 254,
    },
    refused?.problems ?? NO_PROBLEMS,
  )

/** What was typed is never sent back. */
const passwordField = (
  name: string,
  label: string,
  autocomplete: 'current-password' | 'new-password',
  problems: FormProblems,
  isRequired = true,
): Html => html`<div><label for="${name}">${label}${!isRequired && html` <span class="quiet">(optional)</span>`}</label>
<input type="password" id="${name}" name="${name}" maxlength="${MAX_PASSWORD_CHARACTERS}" autocomplete="${autocomplete}"${autocomplete === 'new-password' && html` minlength="${MIN_PASSWORD_CHARACTERS}"`}${isRequired && html` required`}${invalid(name, problems)}>${problemOf(name, problems)}</div>`

/** After a link was requested: the same with an account and without. */
export const linkSentPage = (shop: AccountShop, links: ShopLinks, email: string): WebPage => ({
  title: 'Look into your mail',
  description: `Your account at ${shop.name}.`,
  frame: frameOf(shop, links),
  body: html`<div class="narrow"><h1>Look into your mail</h1>
<p class="lead">We sent a link to <strong>${email}</strong>. It works once, within 30 minutes.</p>
<p class="quiet">Nothing there after two minutes? Look into the spam folder, then <a href="${links.to('/account')}">request another link</a>.</p></div>`,
})

/**
 * What a link leads to. It asks for a click: programs that look through mail open addresses. It
 * names the address: a link from somebody else signs in to an account of theirs.
 */
export const openLinkPage = (
  shop: AccountShop,
  links: ShopLinks,
  { token, email, problems = NO_PROBLEMS }: { readonly token: string; readonly email: string; readonly problems?: FormProblems },
): WebPage => ({
  title: 'Sign in',
  description: `Your account at ${shop.name}.`,
  frame: frameOf(shop, links),
  ...(problems !== NO_PROBLEMS && { status: 422 }),
  body: html`<div class="narrow"><h1>Welcome to ${shop.name}</h1>
${problemSummary(problems)}
<form method="post" action="${links.to(`/account/link/${token}`)}" class="stacked">
<p>Continue to sign in as <strong>${email}</strong>. If this is not your address, close this page: somebody else sent you the link.</p>
<p>With a password you can sign in without an e-mail next time; a new one replaces yours.</p>
${passwordField('password', 'New password', 'new-password', problems, false)}
<p class="actions"><button>Continue</button></p></form></div>`,
})

/** A form of the page of an account that was refused. */
export type RefusedAccountForm = RefusedAs<'password' | 'address' | 'erase'>

/** For who is signed in: orders, addresses, password, data, erasure. */
export function accountPage(
  shop: AccountShop,
  account: Account,
  {
    links,
    token,
    refused = null,
  }: { readonly links: ShopLinks; readonly token: string; readonly refused?: RefusedAccountForm | null },
): WebPage {
  const problemsOf = (form: RefusedAccountForm['form']) => (refused?.form === form ? refused.problems : NO_PROBLEMS)
  return {
    title: 'Your account',
    description: `Your account at ${shop.name}.`,
    frame: frameOf(shop, links),
    ...(refused && { status: 422 }),
    body: html`<div class="narrow account"><h1>Your account</h1>
<p class="lead">${account.email}</p>
${problemSummary(refused?.problems ?? NO_PROBLEMS)}
<form method="post" action="${links.to('/account/sign-out')}">${formToken(token)}<p class="actions"><button class="secondary">Sign out</button>${
      account.sessionCount > 1 &&
      html` <button class="secondary" name="everywhere" value="1">Sign out on all ${account.sessionCount} devices</button>`
    }</p></form>
${orderList(account, links)}
${addressList(shop, account, { links, token, refused: refused?.form === 'address' ? refused : null })}
<section aria-labelledby="password-of"><h2 id="password-of">Password</h2>
<form method="post" action="${links.to('/account/password')}" class="stacked">${formToken(token)}
${account.hasPassword && passwordField('current', 'Current password', 'current-password', problemsOf('password'))}
${passwordField('password', 'New password', 'new-password', problemsOf('password'))}
<p class="quiet">Other devices are signed out.</p>
<p class="actions"><button class="secondary">${account.hasPassword ? 'Change password' : 'Set password'}</button></p></form></section>
<section aria-labelledby="data-of"><h2 id="data-of">Your data</h2>
<p><a href="${links.to('/account/data')}">Download everything as JSON</a></p>
<details${refused?.form === 'erase' && html` open`}><summary>Erase the account</summary>
<form method="post" action="${links.to('/account/erase')}" class="stacked">${formToken(token)}
<p>Your address, saved addresses and password are deleted. Your orders stay with the shop, as those of a guest. This cannot be undone.</p>
${account.hasPassword && passwordField('erase-password', 'Password', 'current-password', problemsOf('erase'))}
<p class="actions"><button class="danger">Erase the account</button></p></form></details></section></div>`,
  }
}

const STATES: Readonly<Record<Order['status'], string>> = {
  ABANDONED: 'not ordered',
  CANCELED: 'canceled',
  PENDING_PAYMENT: 'payment pending',
  PAID: 'paid',
}

const orderList = (
  { orders }: Account,
  links: ShopLinks,
): Html => html`<section aria-labelledby="orders-of"><h2 id="orders-of">Orders</h2>
${
  orders.nodes.length === 0
    ? html`<p>No orders yet. <a href="${links.to('/search')}">Look around</a></p>`
    : html`<div class="wide" tabindex="0" role="region" aria-labelledby="orders-of"><table>
<caption>${counted(orders.totalCount, 'order')} that you placed while signed in</caption>
<thead><tr><th scope="col">Order</th><th scope="col">Date</th><th scope="col">State</th><th scope="col">Total</th></tr></thead>
<tbody>${orders.nodes.map(
        ({ secret, order }) =>
          html`<tr><th scope="row"><a href="${links.to(`/orders/${secret}`)}">${order.number}</a>${(order.status === 'PAID' || order.status === 'PENDING_PAYMENT') && html`<br><a href="${links.to(`/account/orders/${order.number}`)}" aria-label="Returns of order ${order.number}">Returns</a>`}</th><td><time datetime="${order.createdAt}">${dayOf(order.createdAt)}</time></td><td>${STATES[order.status]}</td><td>${money(order.total, order.currency)}</td></tr>`,
      )}</tbody></table></div>
${orders.pageInfo.hasNextPage && html`<p><a href="${links.to('/account', { after: orders.pageInfo.endCursor })}">Older orders</a></p>`}`
}</section>`

/** An address as it is saved again: the fields of its form, and one that only the graph sets. */
export const addressInputOf = (address: Account['addresses'][number]): Readonly<Record<string, string | null>> =>
  Object.fromEntries([...ADDRESS_FIELDS, 'municipality' as const].map((field) => [field, address[field]]))

/** Names an address in a form: its place in the list may be that of another by now. */
export const addressKey = (address: Account['addresses'][number]): string =>
  createHash('sha256')
    .update(JSON.stringify(addressInputOf(address)))
    .digest('base64url')

/** A form for each address to remove it, and one for another. */
function addressList(
  shop: AccountShop,
  { addresses }: Account,
  { links, token, refused }: { readonly links: ShopLinks; readonly token: string; readonly refused: RefusedForm | null },
): Html {
  const value = (field: string, known: string | null | undefined) => refused?.typed(field) ?? known ?? ''
  return html`<section aria-labelledby="addresses-of"><h2 id="addresses-of">Addresses</h2>
${addresses.map((saved) => {
  const { name, surname, address, postal, city, country } = saved
  return html`<form method="post" action="${links.to('/account/addresses')}" class="saved-address">${formToken(token)}
<p>${[[name, surname], [address], [postal, city], [country]].flatMap((line, at) => {
    const text = line.filter((part) => part).join(' ')
    return text === '' ? [] : [html`${at > 0 && html`, `}${text}`]
  })}</p><p class="actions"><button class="secondary" name="remove" value="${addressKey(saved)}">Remove</button></p></form>`
})}
${
  addresses.length < MAX_ADDRESSES &&
  html`<details${refused !== null && html` open`}><summary>Add an address</summary>
<form method="post" action="${links.to('/account/addresses')}" class="stacked">${formToken(token)}
${addressFields(shop, null, { prefix: '', isRequired: true }, value, refused?.problems ?? NO_PROBLEMS)}
<p class="actions"><button class="secondary">Save address</button></p></form></details>`
}</section>`
}
