/**
 * Nothing from elsewhere, no script and no style inside a page. Data blocks such as JSON-LD are not
 * scripts.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * The policy of a page whose forms lead to another site at last, given as `https://host` or as a
 * scheme with its colon: browsers hold forms to where they end up.
 */
export const leadingTo = (destination: string | null | undefined): string =>
  destination != null && SOURCE.test(destination)
    ? POLICY.replace("form-action 'self'", () => `form-action 'self' ${destination}`)
    : POLICY

/**
 * A scheme, or a scheme and a host of CSP 3 §2.3.1, without its wildcards: hosts of URLs may also
 * hold `;`, `,`, `'` and `*`, which would be a directive or a source of their own. The brackets are
 * of IPv6.
 */
const SOURCE = /^(?:(?!https?:$)[a-z][a-z0-9+.-]*:|https?:\/\/(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?)$/

/** What every page says to the browser that shows it. */
export const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const
