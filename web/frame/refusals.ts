import type { GraphQLFormattedError } from 'graphql'
import type { ParameterRefusal } from '../../rest-facade/http/parameters.ts'
import { type Content, html } from './html.ts'
import type { WebPage } from './page.ts'
import type { Site } from './site.ts'

/** The address holds something that cannot be read; `again` is the path to go on from. */
export const notReadable = (refusals: readonly ParameterRefusal[], site: Site, again: string): WebPage =>
  unreadable(
    html`<ul>${refusals.map(({ parameter, expected, got }) => html`<li>Expected <code>${parameter}</code> to be ${expected}${got === null ? '' : html`, got <code>${got}</code>`}.</li>`)}</ul>`,
    site,
    again,
  )

/** A form that does not belong to a page of this visit; `next`: where to go on. */
export const expiredForm = ({ at }: Site, next: { readonly path: string; readonly label: string }): WebPage => ({
  status: 403,
  title: 'Form expired',
  description: 'The form does not belong to this session.',
  body: html`<h1>Form expired</h1><p>The form is older than the session, or comes from another site. Nothing was changed.</p>
<p><a href="${at(next.path)}">${next.label}</a></p>`,
})

const unreadable = (reasons: Content, { at }: Site, again: string): WebPage => ({
  status: 400,
  title: 'Invalid address',
  description: 'A parameter of the address is invalid.',
  body: html`<h1>Invalid address</h1>
${reasons}
<p><a href="${at(again)}">Start again</a></p>`,
})

/**
 * The graph refused, or did not answer; `again` is the path to go on from where a parameter of the
 * request was wrong.
 */
export function refused(errors: readonly GraphQLFormattedError[], site: Site, again: string): WebPage {
  const limited = errors.find(({ extensions }) => extensions?.code === 'RATE_LIMITED')
  if (limited) {
    return {
      status: 429,
      headers: { 'retry-after': String(limited.extensions?.retryAfterSeconds ?? 60) },
      title: 'Too many requests',
      description: limited.message,
      body: html`<h1>Too many requests</h1><p>${limited.message}</p>
<p>Programs, and people with many requests, use a key: see <a href="${site.at('/reference/trust')}">the API</a>.</p>`,
    }
  }
  if (errors.length > 0 && errors.every(({ extensions }) => extensions?.code === 'BAD_USER_INPUT')) {
    return unreadable(
      errors.map(({ message }) => html`<p>${message}</p>`),
      site,
      again,
    )
  }
  return unavailable(503)
}

/**
 * The request itself is wrong, whatever page it is for: pages take no bodies, and no codings of
 * them.
 */
export const unacceptable = (status: number): WebPage => ({
  status,
  title: 'Invalid request',
  description: 'The request is not a request for a page.',
  body: html`<h1>Invalid request</h1><p>Requests for pages have no body.</p>`,
})

/** Something of ours does not work at the moment. */
export const unavailable = (status: 500 | 503): WebPage => ({
  status,
  title: 'Temporarily unavailable',
  description: 'A part of the service is unavailable.',
  body: html`<h1>Temporarily unavailable</h1><p>A part of the service is unavailable. Reload the page in a moment; no data is lost.</p>`,
})
