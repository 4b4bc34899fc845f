import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Outcome } from '../trust/decision.ts'
import { type GuardOptions, trustGuard } from './guard.ts'
import { refusalOf } from './refusal.ts'

/** Answers a request itself, or calls `next`. */
export type ExpressHandler = (request: Request, response: Response, next: NextFunction, outcome: Outcome) => unknown

export type ExpressGuardOptions = GuardOptions<ExpressHandler> & {
  /**
   * The host or URL that a request is about; null: it is about none, and passes. May be a promise;
   * anything else is refused. What it throws goes to the error handlers.
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
