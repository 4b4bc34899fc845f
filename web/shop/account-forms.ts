import type { FastifyReply } from 'fastify'
import {
  ShopAccountExportDocument,
  ShopAccountPageDocument,
  ShopChangePasswordDocument,
  ShopEraseAccountDocument,
  ShopOpenLinkDocument,
  ShopRequestLinkDocument,
  ShopSetAddressesDocument,
  ShopSignInDocument,
  ShopSignOutDocument,
} from '#generated/operations.ts'
import { fieldOf } from '../frame/form.ts'
import { dataOf } from '../frame/page.ts'
import { linkSentPage, openLinkPage, signInPage } from './account-pages.ts'
import { createAccountViews } from './account-views.ts'
import type { TokenCookie } from './cart-cookie.ts'
import { linksOf } from './frame.ts'
import type { CartVisit, ShopResponder } from './visit.ts'

/** Operations of `createAccountForms`. */
export const ACCOUNT_DOCUMENTS = [
  ShopAccountExportDocument,
  ShopAccountPageDocument,
  ShopChangePasswordDocument,
  ShopEraseAccountDocument,
  ShopOpenLinkDocument,
  ShopRequestLinkDocument,
  ShopSetAddressesDocument,
  ShopSignInDocument,
  ShopSignOutDocument,
]

const WRONG = 'The address or the password is wrong, or too many were tried. Wait 15 minutes, or let us send you a link.'
const EXPIRED = 'This link was used already, or is older than 30 minutes. Let us send you another one.'
const TOO_MANY = 'Too many attempts: wait a minute.'

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
    const answer = await run(ShopRequestLinkDocument, { input: { store: code, email } })
    if (isLimited(answer)) return refuse(TOO_MANY, 429)
    const { written } = dataOf(answer)
    if (written.__typename === 'ValidationError') return refuse('Enter an e-mail address such as ana@example.org.')
    if (written.__typename !== 'RequestCustomerLinkSuccess') return show(reply, signInPage(shop, links))
    return show(reply, linkSentPage(shop, links, email))
  }

  async function showLink(visit: CartVisit): Promise<FastifyReply | null> {
    const shop = await shopOf(visit)
    return shop && show(visit.reply, openLinkPage(shop, linksOf(shop, visit.language, site), { token: linkIn(visit) }))
  }

  async function sendLink(visit: CartVisit): Promise<FastifyReply | null> {
    const { request, reply, code, language, run } = visit
    const shop = await shopOf(visit)
    if (shop === null) return null
    const links = linksOf(shop, language, site)
    const token = linkIn(visit)
    const answer = await run(ShopOpenLinkDocument, {
      input: { store: code, token, password: fieldOf(request, 'password') || null },
    })
    if (isLimited(answer)) return show(reply, openLinkPage(shop, links, { token, problems: { '': TOO_MANY } }))
    const { written } = dataOf(answer)
    if (written.__typename === 'ValidationError')
      return show(reply, openLinkPage(shop, links, { token, problems: { password: 'Enter 8 to 256 characters.' } }))
    if (written.__typename !== 'OpenCustomerLinkSuccess')
      return show(reply, signInPage(shop, links, { form: 'request', problems: { 'request-email': EXPIRED }, typed: () => '' }))
    cookie.keep(reply, code, written.token)
    return redirect(reply, links.to('/account'))
  }
}

const isLimited = ({ errors }: { readonly errors: readonly { readonly extensions?: { readonly code?: unknown } }[] }): boolean =>
  errors.some(({ extensions }) => extensions?.code === 'RATE_LIMITED')

// Parameters of a path are texts.
const linkIn = ({ request }: CartVisit): string => (request.params as Readonly<Record<string, string>>).link ?? ''
