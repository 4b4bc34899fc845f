import type { FastifyReply, FastifyRequest } from 'fastify'
import { ShopUpdateCartDocument } from '#generated/operations.ts'
import { fieldOf } from '../frame/form.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { CURRENCY_CODE, currencyCookieOf } from './cart-cookie.ts'
import type { CartVisit, ShopResponder } from './visit.ts'

/** Operations of `createCurrencyForm`. */
export const CURRENCY_DOCUMENTS = [ShopUpdateCartDocument]

/** The path of the cookie: a code with other characters names no shop. */
const SHOP = /^[a-z0-9-]{1,100}$/

/** Keeps the currency that a visitor chose, for pages and cart; one that the shop does not have changes nothing. */
export function createCurrencyForm({ site, redirect }: ShopResponder) {
  const cookie = currencyCookieOf(site)
  return async function chooseCurrency({ request, reply, code, cart, language, run }: CartVisit): Promise<FastifyReply | null> {
    if (!SHOP.test(code)) return null
    const currency = fieldOf(request, 'currency')
    const back =
      pageBefore(request, code, site) ??
      site.at(`/shops/${code}${language === null ? '' : `?language=${encodeURIComponent(language)}`}`)
    if (!CURRENCY_CODE.test(currency)) return redirect(reply, back)
    if (cart !== null) {
      const { written } = dataOf(await run(ShopUpdateCartDocument, { input: { store: code, token: cart, currency } }))
      // A cart that was ordered or has expired is not found: the next one has the currency.
      if (written.__typename === 'ValidationError') return redirect(reply, back)
    }
    cookie.keep(reply, code, currency)
    return redirect(reply, back)
  }
}

/** The page of the shop that the form was on; null: unknown, or one that takes forms only. */
function pageBefore(request: FastifyRequest, code: string, site: Site): string | null {
  const { referer } = request.headers
  if (referer === undefined || !URL.canParse(referer)) return null
  const { pathname, search } = new URL(referer)
  const shop = site.at(`/shops/${code}`)
  const isOfShop = pathname === shop || pathname.startsWith(`${shop}/`)
  // Pages of steps and refusals have addresses that are not read.
  const isRead = !/\/(cart\/add|checkout\/\w+|currency|account\/.*)$/.test(pathname)
  return isOfShop && isRead ? `${pathname}${search}` : null
}
