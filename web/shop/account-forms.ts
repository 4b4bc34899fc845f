import type { FastifyReply } from 'fastify'
import {
  ShopAccountExportDocument,
  ShopAccountPageDocument,
  ShopChangePasswordDocument,
  ShopEraseAccountDocument,
  ShopLinkEmailDocument,
  ShopOpenLinkDocument,
  ShopRequestLinkDocument,
  ShopSetAddressesDocument,
  ShopSignInDocument,
  ShopSignOutDocument,
} from '#generated/operations.ts'
import { fieldOf } from '../frame/form.ts'
import { dataOf } from '../frame/page.ts'
import { type AccountShop, linkSentPage, openLinkPage, signInPage } from './account-pages.ts'
import { createAccountViews, isLimited, TOO_MANY } from './account-views.ts'
import type { TokenCookie } from './cart-cookie.ts'
import { linksOf, type ShopLinks } from './frame.ts'
import type { CartVisit, ShopResponder } from './visit.ts'

/** Operations of `createAccountForms`. */
export const ACCOUNT_DOCUMENTS = [
  ShopAccountExportDocument,
  ShopAccountPageDocument,
  ShopChangePasswordDocument,
  ShopEraseAccountDocument,
  ShopLinkEmailDocument,
  ShopOpenLinkDocument,
  ShopRequestLinkDocument,
  ShopSetAddressesDocument,
  ShopSignInDocument,
  ShopSignOutDocument,
]

const WRONG = 'The address or the password is wrong, or too many were tried. Wait 15 minutes, or let us send you a link.'
const EXPIRED = 'This link was used already, or is older than 30 minutes. Let us send you another one.'

/** Forms of who is not signed in. Answers null for a shop that does not exist. */
export function createAccountForms(responder: ShopResponder, cookie: TokenCookie) {
  const { site, show, redirect } = responder
  const { shopOf, showFor } = createAccountViews(responder, cookie)
  return { showAccount, sendSignIn, sendRequest, showLink, sendLink }

  async function showAccount(visit: CartVisit): Promise<FastifyReply | null> {
    const shop = await shopOf(visit)
    if (shop === null) return null
    return showFor(visit, shop, null)
  }

  async function sendSignIn(visit: CartVisit): Promise<FastifyReply | null> {
    const { request, reply, code, language, run } = visit
    const shop = await shopOf(visit)
    if (shop === null) return null
    const links = linksOf(shop, language, site)
    const typed = (name: string) => fieldOf(request, name)
    const answer = await run(ShopSignInDocument, { input: { store: code, email: typed('email'), password: typed('password') } })
    const problem = isLimited(answer) ? TOO_MANY : WRONG
    const written = isLimited(answer) ? null : dataOf(answer).written
    if (written?.__typename !== 'SignInCustomerSuccess')
      return show(reply, signInPage(shop, links, { form: 'sign-in', problems: { email: problem }, typed }))
    cookie.keep(reply, code, written.token)
    return redirect(reply, links.to('/account'))
  }

  async function sendRequest(visit: CartVisit): Promise<FastifyReply | null> {
    const { request, reply, code, language, run } = visit
    const shop = await shopOf(visit)
    if (shop === null) return null
    const links = linksOf(shop, language, site)
    const email = fieldOf(request, 'request-email').trim()
    const refuse = (problem: string, status = 422) =>
      show(
        reply,
        signInPage(shop, links, { form: 'request', problems: { 'request-email': problem }, typed: () => email, status }),
      )
    const answer = await run(ShopRequestLinkDocument, { input: { store: code, email, language: links.language } })
    if (isLimited(answer)) return refuse(TOO_MANY, 429)
    const { written } = dataOf(answer)
    if (written.__typename === 'ValidationError') return refuse('Enter an e-mail address such as ana@example.org.')
    if (written.__typename !== 'RequestCustomerLinkSuccess') return show(reply, signInPage(shop, links))
    return show(reply, linkSentPage(shop, links, email))
  }

  async function showLink(visit: CartVisit): Promise<FastifyReply | null> {
    const { reply, language } = visit
    const shop = await shopOf(visit)
    if (shop === null) return null
    const [links, token, email] = [linksOf(shop, language, site), linkIn(visit), await emailOf(visit)]
    return show(reply, email === null ? expiredPage(shop, links) : openLinkPage(shop, links, { token, email }))
  }

  /** The address that the link of a visit signs in to; null: it has expired. */
  async function emailOf(visit: CartVisit): Promise<string | null> {
    const { storefront } = dataOf(await visit.run(ShopLinkEmailDocument, { code: visit.code, token: linkIn(visit) }))
    return storefront?.customerLinkEmail ?? null
  }

  async function sendLink(visit: CartVisit): Promise<FastifyReply | null> {
    const { request, reply, code, language, run } = visit
    const shop = await shopOf(visit)
    if (shop === null) return null
    const links = linksOf(shop, language, site)
    const [token, email] = [linkIn(visit), await emailOf(visit)]
    if (email === null) return show(reply, expiredPage(shop, links))
    const answer = await run(ShopOpenLinkDocument, {
      input: { store: code, token, password: fieldOf(request, 'password') || null },
    })
    if (isLimited(answer)) return show(reply, openLinkPage(shop, links, { token, email, problems: { '': TOO_MANY } }))
    const { written } = dataOf(answer)
    if (written.__typename === 'ValidationError')
      return show(reply, openLinkPage(shop, links, { token, email, problems: { password: 'Enter 8 to 256 characters.' } }))
    if (written.__typename !== 'OpenCustomerLinkSuccess') return show(reply, expiredPage(shop, links))
    cookie.keep(reply, code, written.token)
    return redirect(reply, links.to('/account'))
  }
}

const expiredPage = (shop: AccountShop, links: ShopLinks) =>
  signInPage(shop, links, { form: 'request', problems: { 'request-email': EXPIRED }, typed: () => '' })

// Parameters of a path are texts.
const linkIn = ({ request }: CartVisit): string => (request.params as Readonly<Record<string, string>>).link ?? ''
