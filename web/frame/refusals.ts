import type { GraphQLFormattedError } from 'graphql'
import type { Refusal } from '../../rest-facade/http/parameters.ts'
import { html } from './html.ts'
import type { Page } from './page.ts'
import type { Site } from './site.ts'

/** The address holds something that cannot be read. */
export const notReadable = (refusals: readonly Refusal[]): Page => ({
  status: 400,
  title: 'This address cannot be read',
  description: 'A part of the address is not what this page expects.',
  body: html`<h1>This address cannot be read</h1>
<ul>${refusals.map(({ parameter, expected, got }) => html`<li>Expected <code>${parameter}</code> to be ${expected}${got === null ? '' : html`, got <code>${got}</code>`}.</li>`)}</ul>`,
})

/** The graph refused, or did not answer. */
export function refused(errors: readonly GraphQLFormattedError[], site: Site): Page {
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
    return {
      status: 400,
      title: 'This address cannot be read',
      description: 'A part of the address is not what this page expects.',
      body: html`<h1>This address cannot be read</h1>${errors.map(({ message }) => html`<p>${message}</p>`)}
<p><a href="${site.at('/search')}">Start a new search</a></p>`,
    }
  }
  return unavailable(503)
}

/** Something of ours does not work at the moment. */
export const unavailable = (status: 500 | 503): Page => ({
  status,
  title: 'This page is not there at the moment',
  description: 'A part of the service does not answer.',
  body: html`<h1>This page is not there at the moment</h1><p>A part of the service does not answer. Reload in a moment; nothing that you did is lost.</p>`,
})
