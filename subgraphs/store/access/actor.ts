import type { Access } from './grant.ts'

/** Who changes something, as histories name it: `merchant` (also its staff), `customer`, or `app:<code>`. */
export type Actor = 'merchant' | 'customer' | `app:${string}`

/** The caller of a mutation of merchants. */
export const actorOf = ({ app }: Access): Actor => (app === null ? 'merchant' : `app:${app.code}`)
