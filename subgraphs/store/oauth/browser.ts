import { createHash, timingSafeEqual } from 'node:crypto'
import type { Provider } from 'oidc-provider'

/**
 * The cookie that holds what only the browser of a request has: one for the request's page, one for
 * the address that it goes on at.
 */
export const BROWSER_COOKIE = '_atrium_browser'

type Interaction = InstanceType<Provider['Interaction']>

/**
 * What ties a request to the browser that began it: 250 random bits that the library makes once for
 * all steps of an authorization. They are sealed with the request, stand in no address, and leave
 * us as a cookie only.
 */
export const browserSecretOf = (interaction: Interaction): string => interaction.cid

/** Whether this is the secret of the browser that began the request. */
export function isOfBrowser(interaction: Interaction, given: string | null | undefined): boolean {
  if (given === null || given === undefined) return false
  return timingSafeEqual(digestOf(given), digestOf(browserSecretOf(interaction)))
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()
