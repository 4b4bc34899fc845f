/** Nothing from elsewhere, no script and no style inside a page. Data blocks such as JSON-LD are not scripts. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The policy of a page whose forms lead to another site at last, given as `https://host` or as a scheme with its colon: browsers hold forms to where they end up. */
export const leadingTo = (destination: string | null | undefined): string =>
  destination == null ? POLICY : POLICY.replace("form-action 'self'", `form-action 'self' ${destination}`)

/** What every page says to the browser that shows it. */
export const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const
