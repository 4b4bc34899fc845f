import type { FastifyReply } from 'fastify'
import {
  ShopAccountExportDocument,
  ShopChangePasswordDocument,
  ShopEraseAccountDocument,
  ShopSetAddressesDocument,
  ShopSignOutDocument,
} from '#generated/operations.ts'
import { type FormProblems, textProblems } from '../frame/fields.ts'
import { fieldOf } from '../frame/form.ts'
import { dataOf, foundIn } from '../frame/page.ts'
import { type AccountShop, addressInputOf, addressKey, type RefusedAccountForm } from './account-pages.ts'
import { createAccountViews, isLimited, TOO_MANY } from './account-views.ts'
import { isFormOf, type TokenCookie } from './cart-cookie.ts'
import { ADDRESS_FIELDS } from './checkout-page.ts'
import { linksOf } from './frame.ts'
import { type CartVisit, foreignForm, type ShopResponder } from './visit.ts'

const WRONG_PASSWORD =
  'This is not your password, or too many were tried. Wait 15 minutes, or sign in by a link and set a new one.'
const SESSION_OLD = 'You signed in more than 10 minutes ago. Sign out, sign in by a link again, and do this at once.'
const REQUIRED = { name: 'a first name', surname: 'a last name', address: 'street and house number', city: 'a city' } as const

type SignedIn = {
  readonly token: string
  readonly account: NonNullable<AccountShop['customerAccount']>
  readonly to: (path: string) => string
  readonly refuse: (form: RefusedAccountForm['form'], problems: FormProblems) => FastifyReply
}

/** Forms of who is signed in. Answers null for a shop that does not exist. */
export function createAccountChanges(responder: ShopResponder, cookie: TokenCookie) {
  const { site, show, redirect } = responder
  const { shopOf, showFor } = createAccountViews(responder, cookie)
  return { sendSignOut, sendPassword, sendAddresses, sendErase, sendData }

  function sendSignOut(visit: CartVisit): Promise<FastifyReply | null> {
    return signedIn(visit, async ({ reply, request, code, run }, { token, to }) => {
      const everywhere = fieldOf(request, 'everywhere') === '1'
      dataOf(await run(ShopSignOutDocument, { input: { store: code, token, everywhere } }))
      cookie.forget(reply, code)
      return redirect(reply, to('/account'))
    })
  }

  function sendPassword(visit: CartVisit): Promise<FastifyReply | null> {
    return signedIn(visit, async ({ reply, request, code, run }, { token, account, to, refuse }) => {
      const typed = (name: string) => fieldOf(request, name)
      const input = { store: code, token, currentPassword: typed('current') || null, password: typed('password') }
      const answer = await run(ShopChangePasswordDocument, { input })
      if (isLimited(answer)) return refuse('password', { password: TOO_MANY })
      const { written } = dataOf(answer)
      if (written.__typename === 'ValidationError') return refuse('password', { password: 'Enter 8 to 256 characters.' })
      if (written.__typename === 'CustomerCredentialsWrong')
        return refuse('password', account.hasPassword ? { current: WRONG_PASSWORD } : { password: SESSION_OLD })
      return redirect(reply, to('/account'))
    })
  }

  function sendAddresses(visit: CartVisit): Promise<FastifyReply | null> {
    return signedIn(visit, async ({ reply, request, code, run }, { token, to, refuse, account: { addresses: saved } }) => {
      const typed = (name: string) => fieldOf(request, name)
      const removed = typed('remove')
      const added = Object.fromEntries(ADDRESS_FIELDS.map((field) => [field, typed(field)]))
      const problems = removed === '' ? textProblems(added, REQUIRED) : {}
      if (Object.keys(problems).length > 0) return refuse('address', problems)
      const others = saved.filter((address) => addressKey(address) !== removed).map(addressInputOf)
      const addresses = removed === '' ? [...others, added] : others
      const { written } = dataOf(await run(ShopSetAddressesDocument, { input: { store: code, token, addresses } }))
      if (written.__typename === 'ValidationError')
        return refuse('address', { [written.field.split('.').at(-1) ?? '']: 'This cannot be saved: enter it in another way.' })
      return redirect(reply, to('/account'))
    })
  }

  function sendErase(visit: CartVisit): Promise<FastifyReply | null> {
    return signedIn(visit, async ({ reply, request, code, run }, { token, account, to, refuse }) => {
      const input = { store: code, token, password: fieldOf(request, 'erase-password') || null }
      const answer = await run(ShopEraseAccountDocument, { input })
      if (isLimited(answer)) return refuse('erase', { '': TOO_MANY })
      if (dataOf(answer).written.__typename === 'CustomerCredentialsWrong')
        return refuse('erase', account.hasPassword ? { 'erase-password': WRONG_PASSWORD } : { '': SESSION_OLD })
      cookie.forget(reply, code)
      return redirect(reply, to(''))
    })
  }

  async function sendData(visit: CartVisit): Promise<FastifyReply | null> {
    const { request, reply, code, language, run } = visit
    const answer = await run(ShopAccountExportDocument, { code, token: cookie.read(request) ?? '' })
    const shop = foundIn(dataOf(answer).storefront, answer)
    if (shop === null) return null
    if (!shop.customerAccount)
      return redirect(
        reply,
        site.at(`/shops/${code}/account${language === null ? '' : `?language=${encodeURIComponent(language)}`}`),
      )
    return reply
      .header('cache-control', 'no-store')
      .header('content-disposition', 'attachment; filename="account.json"')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(shop.customerAccount.dataExport, null, 2))
  }

  /** A form of who is signed in, from a page of theirs. */
  async function signedIn(
    visit: CartVisit,
    handle: (visit: CartVisit, session: SignedIn) => Promise<FastifyReply>,
  ): Promise<FastifyReply | null> {
    const { request, reply, language } = visit
    const shop = await shopOf(visit)
    if (shop === null) return null
    const token = cookie.read(request)
    const account = shop.customerAccount
    if (token === null || !account || !isFormOf(token, request)) return show(reply, foreignForm)
    const { to } = linksOf(shop, language, site)
    const refuse: SignedIn['refuse'] = (form, problems) =>
      showFor(visit, shop, { form, problems, typed: (name) => fieldOf(request, name) })
    return handle(visit, { token, account, to, refuse })
  }
}
