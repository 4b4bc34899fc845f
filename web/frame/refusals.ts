import type { GraphQLFormattedError } from 'graphql'
import type { Refusal } from '../../rest-facade/http/parameters.ts'
import { type Content, html } from './html.ts'
import type { Page } from './page.ts'
import type { Site } from './site.ts'

/** The address holds something that cannot be read; `again` is the path to go on from. */
export const notReadable = (refusals: readonly Refusal[], site: Site, again: string): Page =>
  unreadable(
    html`<ul>${refusals.map(({ parameter, expected, got }) => html`<li>Expected <code>${parameter}</code> to be ${expected}${got === null ? '' : html`, got <code>${got}</code>`}.</li>`)}</ul>`,
    site,
    again,
  )

const unreadable = (reasons: Content, { at }: Site, again: string): Page => ({
  status: 400,
  title: 'This address cannot be read',
  description: 'A part of the address is not what this page expects.',
  body: html`<h1>This address cannot be read</h1>
${reasons}
<p><a href="${at(again)}">Start again</a></p>`,
})

/** The graph refused, or did not answer; `again` is the path to go on from where something asked for was wrong. */
export function refused(errors: readonly GraphQLFormattedError[], site: Site, again: string): Page {
  const limited = errors.find(({ extensions }) => extensions?.code === 'RATE_LIMITED')
  if (limited) {
    return {
      status: 429,
      headers: { 'retry-after': String(limited.extensions?.retryAfterSeconds ?? 60) },
      title: 'A moment, please',
      description: limited.message,
      body: html`<h1>A moment, please</h1><p>${limited.message}</p>
<p>Programs, and people who ask a lot, use a key: see <a href="${site.at('/reference/trust')}">the API</a>.</p>`,
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

/** The request itself is wrong, whatever page it is for: pages take no bodies, and no codings of them. */
export const unacceptable = (status: number): Page => ({
  status,
  title: 'This request cannot be read',
  description: 'What was sent is no request for a page.',
  body: html`<h1>This request cannot be read</h1><p>Pages are asked for without a body.</p>`,
})

/** Something of ours does not work at the moment. */
export const unavailable = (status: 500 | 503): Page => ({
  status,
  title: 'This page is not there at the moment',
  description: 'A part of the service does not answer.',
  body: html`<h1>This page is not there at the moment</h1><p>A part of the service does not answer. Reload in a moment; nothing that you did is lost.</p>`,
})
