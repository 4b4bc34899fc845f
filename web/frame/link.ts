import { type Content, type Html, html } from './html.ts'

/**
 * A link to somewhere else. An address that is not http or https, which no import should let
 * through, is shown as text: following it could run something.
 */
export function externalLink(url: string, label: Content = url): Html {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
    ? html`<a href="${url}" rel="nofollow noopener">${label}</a>`
    : html`${label}`
}

/** Host and path of an address, for people: at most `most` characters. */
export function shortAddress(url: string, maxLength = 60): string {
  const text = url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '')
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`
}
