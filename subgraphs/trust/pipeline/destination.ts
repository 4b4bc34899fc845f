import type { Snapshot } from '../evidence.ts'
import type { Policy } from './policy.ts'

/** Destination of a redirecting URL. */
export type Destination =
  /** It does not forward, as far as is known. */
  | 'none'
  /** It forwards to a URL that is judged as well. */
  | 'known'
  /** It forwards, and where to could not be found out. */
  | 'unknown'

/** `isRedirector`: the URL is one of a service that forwards. Always `none` for other URLs before engine 4. */
export function destinationOf({ redirects }: Snapshot, isRedirector: boolean, { engine }: Policy): Destination {
  if (engine < 4 || redirects === undefined) return isRedirector ? 'unknown' : 'none'
  const { end, hops } = redirects
  if (end === 'answered') return hops.length > 0 ? 'known' : isRedirector ? 'unknown' : 'none'
  return isRedirector || end === 'loop' || end === 'too_many' || hops.length > 0 ? 'unknown' : 'none'
}
