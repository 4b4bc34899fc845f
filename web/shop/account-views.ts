import type { FastifyReply } from 'fastify'
import { ShopAccountPageDocument } from '#generated/operations.ts'
import { dataOf, foundIn } from '../frame/page.ts'
import { type AccountShop, accountPage, type RefusedAccountForm, signInPage } from './account-pages.ts'
import type { TokenCookie } from './cart-cookie.ts'
import { linksOf } from './frame.ts'
import type { CartVisit, ShopResponder } from './visit.ts'

export const TOO_MANY = 'Too many attempts: wait a minute.'

/** Whether something was refused because there was too much of it. */
export const isLimited = ({
  errors,
}: {
  readonly errors: readonly { readonly extensions?: { readonly code?: unknown } }[]
}): boolean => errors.some(({ extensions }) => extensions?.code === 'RATE_LIMITED')

/** Reads the shop with the account of a visitor, and shows it. */
export function createAccountViews({ site, show }: ShopResponder, cookie: TokenCookie) {
  return { shopOf, showFor }

  async function shopOf({ code, language, run, request }: CartVisit): Promise<AccountShop | null> {
    // Fastify has parsed the query; a repeated parameter is a list, which is no cursor.
    const { after } = request.query as { readonly after?: unknown }
    const page = { code, language, token: cookie.read(request) ?? '', after: typeof after === 'string' ? after : null }
    const answer = await run(ShopAccountPageDocument, page)
    return foundIn(dataOf(answer).storefront, answer)
  }

  function showFor(visit: CartVisit, shop: AccountShop, refused: RefusedAccountForm | null): FastifyReply {
    const { reply, request, language } = visit
    const [links, token] = [linksOf(shop, language, site), cookie.read(request)]
    return show(
      reply,
      shop.customerAccount && token !== null
        ? accountPage(shop, shop.customerAccount, { links, token, refused })
        : signInPage(shop, links),
    )
  }
}
