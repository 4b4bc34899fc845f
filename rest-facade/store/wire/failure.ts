import type { GraphQLFormattedError } from 'graphql'
import { problemOf } from '../../http/graph-errors.ts'
import type { Schema } from '../contract.ts'
import type { Fault } from './input.ts'
import type { RequestReader } from './request.ts'

/** An answer that is no success, before it is spelled. */
export type Failure = {
  readonly status: number
  /** One or more sentences. */
  readonly message: string
  /** What is wrong with which field; empty where no field is to blame. */
  readonly faults?: readonly Fault[]
  /** Version of the thing that somebody else has changed; null where versions are not what is in the way. */
  readonly currentVersion?: number | null
  readonly headers?: Readonly<Record<string, string>>
}

/** Every fault of a request at once. */
export const faulty = (faults: readonly Fault[]): Failure => ({
  status: 400,
  message: faults.map(({ message }) => message).join(' '),
  faults: faults.filter(({ field }) => field !== ''),
})

/** Nothing in this store has this id. */
export const missing = (message = 'There is nothing with this id in this store.'): Failure => ({ status: 404, message })

/** Why credentials were refused, and how to present them. */
const CHALLENGE = { 'www-authenticate': 'Basic realm="store", charset="UTF-8"' }

/**
 * What errors of the graph mean to a client. `isOurs`: they are no fault of the request, and belong into the log. `scope` is the one that opens all of the
 * operation, as the contract says; null: none is known. `wireArgument` says what became an argument that is refused.
 */
export function failureOf(
  errors: readonly GraphQLFormattedError[],
  requestId: string,
  scope: string | null = null,
  wireArgument: RequestReader['wireArgument'] = () => null,
): { readonly failure: Failure; readonly isOurs: boolean } {
  const { problem, isOurs } = problemOf(errors, requestId)
  const { status, headers } = problem
  const said = errors[0]?.message ?? problem.message
  const failure = { status, message: status === 404 ? said : problem.message, ...(headers && { headers }) }
  if (status === 400) return { failure: { ...failure, ...refused(errors, wireArgument) }, isOurs }
  if (status === 403) return { failure: { ...failure, headers: needing(scopeNeeded(errors), scope) }, isOurs }
  if (status === 401) return { failure: { ...failure, headers: CHALLENGE }, isOurs }
  if (status === 503) return { failure: { ...failure, headers: { 'retry-after': '2' } }, isOurs }
  return { failure, isOurs }
}

/** What is wrong with which parameter, where the wire has all that the graph refuses; else nothing. */
function refused(errors: readonly GraphQLFormattedError[], wireArgument: RequestReader['wireArgument']): Partial<Failure> {
  const faults = errors.map(({ message, extensions }) => {
    const argument = String(extensions?.argument)
    const field = wireArgument(argument)
    return field === null ? null : { field, message: message.replace(`"${argument}"`, `\`${field}\``) }
  })
  return faults.every((fault) => fault !== null) ? faulty(faults) : {}
}

/** The scope that an app should ask the shop for (RFC 6750 §3.1); undefined where no scope would help. */
export function scopeNeeded([error]: readonly GraphQLFormattedError[]): string | undefined {
  const { scopes, requiredScopes } = error?.extensions ?? {}
  const [first] = [requiredScopes, scopes].filter(Array.isArray).flat(2)
  return typeof first === 'string' ? first : undefined
}

/** `whole`: the scope that opens all of the operation; null: none is known. */
function needing(first: string | undefined, whole: string | null): Readonly<Record<string, string>> {
  return first === undefined ? {} : { 'www-authenticate': `Bearer error="insufficient_scope", scope="${whole ?? first}"` }
}

/** A failure in the form that the contract has for its status; `{"message"}` where it has none. */
export function failureBody(schema: Schema | undefined, { message, faults = [], currentVersion = null }: Failure): string {
  const body: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema?.properties ?? { message: {} })) {
    if (name === 'message' || name === 'error') body[name] = message
    else if (name === 'current_version') body[name] = currentVersion
    else if (name === 'errors') body[name] = property.type === 'array' ? sentences(message, faults) : byField(faults)
  }
  return JSON.stringify(body)
}

const sentences = (message: string, faults: readonly Fault[]): readonly string[] =>
  faults.length === 0 ? [message] : faults.map((fault) => fault.message)

/** Absent where no field is to blame. */
function byField(faults: readonly Fault[]): Readonly<Record<string, readonly string[]>> | undefined {
  if (faults.length === 0) return undefined
  const fields = new Map<string, string[]>()
  for (const { field, message } of faults) {
    const known = fields.get(field)
    if (known) known.push(message)
    else fields.set(field, [message])
  }
  return Object.fromEntries(fields)
}
