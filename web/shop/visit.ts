import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GatewayClient } from '../../gateway/client.ts'
import { parseQuery } from '../../rest-facade/http/parameters.ts'
import { html } from '../frame/html.ts'
import type { PageSession, RunPageOperation, WebPage } from '../frame/page.ts'
import { operationRunner, sendPage, withoutEmptyFields } from '../frame/serve.ts'
import type { Site } from '../frame/site.ts'
import { type cartCookieOf, shopSessionOf } from './cart-cookie.ts'
import { LANGUAGE } from './front-pages.ts'

/** A request about a cart: of a shop, with the cart of the visitor's cookie. */
export type CartVisit = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly code: string
  /** BCP 47 tag of the address; null: the language of the shop. */
  readonly language: string | null
  /** Token of the cart; null: none. */
  readonly cart: string | null
  /** Cookies that prices depend on; null: none. */
  readonly session: PageSession | null
  readonly run: RunPageOperation
}

/** What handlers of a shop's forms answer with. Nobody keeps their pages. */
export type ShopResponder = ReturnType<typeof shopResponder>

export function shopResponder(client: GatewayClient, site: Site, cookie: ReturnType<typeof cartCookieOf>) {
  return {
    site,
    cookie,
    visitOf(request: FastifyRequest, reply: FastifyReply): CartVisit {
      const { values } = parseQuery({ language: LANGUAGE }, withoutEmptyFields(request.raw.url ?? ''))
      // Parameters of a path are texts.
      const { code = '' } = request.params as Readonly<Record<string, string>>
      return {
        request,
        reply,
        code,
        // The row's schema has parsed it.
        language: values.language as string | null,
        cart: cookie.read(request),
        session: shopSessionOf(request, site),
        run: operationRunner(client, request, reply),
      }
    },
    show: (reply: FastifyReply, page: WebPage): FastifyReply => sendPage(reply, page, site, 'no-store'),
    /** To an address of `ShopLinks`. */
    redirect: (reply: FastifyReply, address: string): FastifyReply =>
      reply.header('cache-control', 'no-store').redirect(address, 303),
  }
}

/** For a form that another site, another visit or nobody's page has sent. */
export const foreignForm: WebPage = {
  status: 403,
  title: 'The form was not accepted',
  description: 'The form was not sent by a page of this visit.',
  body: html`<h1>The form was not accepted</h1>
<p>It was not sent by a page of this visit, or the cart it is about has been ordered or has expired. Nothing was changed. Go back, reload the page and send it again.</p>`,
}
