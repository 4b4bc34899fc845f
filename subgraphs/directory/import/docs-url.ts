import type { Statement } from './contribution.ts'
import type { Fields } from './field.ts'
import { cleanUrl } from './url.ts'

type Of<Kind extends Statement['kind']> = Extract<Statement, { kind: Kind }>

/** `docsUrl` of an MCP server: the first stated one, else its repository; '' without either. */
export function serverDocsUrl(fields: Fields<Of<'MCP_SERVER'>>, repoUrl: string | null): string {
  const stated = fields.first('docsUrl', ({ docsUrl }) => docsUrl)
  if (stated === null) fields.derived('docsUrl', 'repository')
  return stated ?? repoUrl ?? ''
}

/** `docsUrl` of a skill: the first stated one; '' without one. */
export const skillDocsUrl = (fields: Fields<Of<'SKILL'>>): string => fields.first('docsUrl', ({ docsUrl }) => docsUrl) ?? ''

/** First valid URL without a template, best first; null when there is none. */
export const statedDocsUrl = (docs: readonly unknown[]): string | null =>
  docs.map(cleanUrl).find((url) => url !== null && !TEMPLATE.test(url)) ?? null

/** Part of a URL that each user fills in: `https://{tenant}.example`, also percent-encoded. */
const TEMPLATE = /[{}]|%7b|%7d/i

/** Part of a URL that is the same for all users; null when the host itself is a template. */
export function withoutTemplates(address: string): string | null {
  if (!TEMPLATE.test(address)) return address
  const url = URL.parse(address)
  if (!url) return null
  const labels = url.hostname.split('.')
  const host = labels.slice(labels.findLastIndex((label) => TEMPLATE.test(label)) + 1)
  return host.length >= 2 ? `https://${host.join('.')}` : null
}
