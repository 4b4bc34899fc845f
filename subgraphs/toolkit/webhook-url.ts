import { isText, type Problem, problem } from './validation.ts'

/**
 * Why nothing is sent to an address; null: it may be. Names are judged when they are connected to.
 */
export type WebhookRefusal = (endpoint: { readonly address: string; readonly port: number }) => string | null

const MAX_URL_LENGTH = 2_000
/** The setting of networks that webhooks may reach besides public addresses, for error messages. */
export const NETWORK_SETTING = 'WEBHOOK_PRIVATE_NETWORKS'

/** What is wrong with the URL of a webhook; null: nothing. Names are judged when they are connected to. */
export function webhookUrlProblem(field: string, text: string, refusal: WebhookRefusal): Problem | null {
  const expected = (expectation: string) => problem(field, expectation, text)
  const url = URL.canParse(text) && text.length <= MAX_URL_LENGTH && isText(text) ? new URL(text) : null
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.href.length > MAX_URL_LENGTH) {
    return expected(`an http or https URL of at most ${MAX_URL_LENGTH} characters`)
  }
  if (url.username !== '' || url.password !== '') return expected('a URL without a user')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isLiteral = /^[\d.]+$|:/.test(host)
  const reason = isLiteral ? refusal({ address: host, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) }) : null
  return reason === null
    ? null
    : expected(`at a public address and on port 80 or 443 (${reason}), or in a network of ${NETWORK_SETTING}`)
}
