import type { Context, MiddlewareHandler, Next } from 'hono'
import type { Outcome } from '../trust/decision.ts'
import { type GuardOptions, trustGuard } from './guard.ts'
import { refusalOf } from './refusal.ts'

/** Returns a response, or the result of `next`. */
export type HonoHandler = (context: Context, next: Next, outcome: Outcome) => Promise<Response | undefined> | Response

export type HonoGuardOptions = GuardOptions<HonoHandler> & {
  /**
   * Host or URL to check; null lets the request pass unchecked. May be a promise; any other value
   * is refused. Exceptions go to `onError`.
   */
  readonly target: (context: Context) => unknown
}

/** Middleware for Hono. Throws a TypeError when the options cannot work. */
export function honoGuard({ target, ...options }: HonoGuardOptions): MiddlewareHandler {
  const guard = trustGuard<HonoHandler>(options)
  return async (context, next) => {
    const subject = await target(context)
    if (subject === null || subject === undefined) return void (await next())
    const { outcome, passage } = await guard(subject)
    if (passage === 'pass') return void (await next())
    if (passage !== 'block') return passage(context, next, outcome)
    const { status, headers, body } = refusalOf(outcome)
    return new Response(JSON.stringify(body), { status, headers })
  }
}
