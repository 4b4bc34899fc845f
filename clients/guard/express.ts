import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Outcome } from '../trust/decision.ts'
import { type GuardOptions, trustGuard } from './guard.ts'
import { refusalOf } from './refusal.ts'

/** Handles a request itself, or calls `next`. */
export type ExpressHandler = (request: Request, response: Response, next: NextFunction, outcome: Outcome) => unknown

export type ExpressGuardOptions = GuardOptions<ExpressHandler> & {
  /**
   * Host or URL to check; null lets the request pass unchecked. May be a promise; any other value
   * is refused. Exceptions go to the error handlers.
   */
  readonly target: (request: Request) => unknown
}

/** Middleware for Express 5. Throws a TypeError when the options cannot work. */
export function expressGuard({ target, ...options }: ExpressGuardOptions): RequestHandler {
  const guard = trustGuard<ExpressHandler>(options)
  return async (request, response, next) => {
    const subject = await target(request)
    if (subject === null || subject === undefined) return next()
    const { outcome, passage } = await guard(subject)
    if (passage === 'pass') return next()
    if (passage !== 'block') return void (await passage(request, response, next, outcome))
    const { status, headers, body } = refusalOf(outcome)
    response.status(status).set(headers).send(JSON.stringify(body))
  }
}
