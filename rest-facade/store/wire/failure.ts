import type { GraphQLFormattedError } from 'graphql'
import { toProblem } from '../../http/error-masking.ts'
import type { Failure } from '../../http/problem.ts'
import type { ContractSchema } from '../contract.ts'
import type { RequestFault } from './input.ts'

/** A failure of the store's contract. */
export type StoreFailure = Failure & {
  /** Faults by field; empty where none is at fault. */
  readonly faults?: readonly RequestFault[]
  /**
   * Current version of an object that another request has changed; null where the failure is no
   * version conflict.
   */
  readonly currentVersion?: number | null
}

/** The request-side name of an argument that the graph rejects; null where the request has none. */
export type WireArgument = (argument: string) => string | null

/** Lists every fault of a request. */
export const invalidRequest = (faults: readonly RequestFault[]): StoreFailure => ({
  status: 400,
  message: faults.map(({ message }) => message).join(' '),
  faults: faults.filter(({ field }) => field !== ''),
})

export const notFound = (message = 'There is nothing with this id in this store.'): StoreFailure => ({ status: 404, message })

/** How to present credentials (RFC 7617). */
const CHALLENGE = { 'www-authenticate': 'Basic realm="store", charset="UTF-8"' }

/**
 * Maps GraphQL errors to a failure and hides internal ones. `isInternal`: the request is not at
 * fault, so the errors belong in the log. `scope` is the one that the contract names for the whole
 * operation; null where none is known.
 */
export function toFailure(
  errors: readonly GraphQLFormattedError[],
  requestId: string,
  scope: string | null = null,
  wireArgument: WireArgument = () => null,
): { readonly failure: StoreFailure; readonly isInternal: boolean } {
  const { problem, isInternal } = toProblem(errors, requestId)
  const { status, headers } = problem
  const graphMessage = errors[0]?.message ?? problem.message
  const failure = { status, message: status === 404 ? graphMessage : problem.message, ...(headers && { headers }) }
  if (status === 400) return { failure: { ...failure, ...rejectedArguments(errors, wireArgument) }, isInternal }
  if (status === 403) return { failure: { ...failure, headers: insufficientScope(requiredScope(errors), scope) }, isInternal }
  if (status === 401) return { failure: { ...failure, headers: CHALLENGE }, isInternal }
  if (status === 503) return { failure: { ...failure, headers: { 'retry-after': '2' } }, isInternal }
  return { failure, isInternal }
}

/**
 * Faults by parameter where the request has every argument that the graph rejects; else nothing.
 */
function rejectedArguments(errors: readonly GraphQLFormattedError[], wireArgument: WireArgument): Partial<StoreFailure> {
  const faults = errors.map(({ message, extensions }) => {
    const argument = String(extensions?.argument)
    const field = wireArgument(argument)
    return field === null ? null : { field, message: message.replace(`"${argument}"`, `\`${field}\``) }
  })
  return faults.every((fault) => fault !== null) ? invalidRequest(faults) : {}
}

/** The scope that an app should request (RFC 6750 §3.1); undefined where no scope would help. */
export function requiredScope([error]: readonly GraphQLFormattedError[]): string | undefined {
  const { scopes, requiredScopes } = error?.extensions ?? {}
  const [first] = [requiredScopes, scopes].filter(Array.isArray).flat(2)
  return typeof first === 'string' ? first : undefined
}

/**
 * `ofOperation` is the scope that the contract names for the whole operation; null where none is
 * known.
 */
function insufficientScope(first: string | undefined, ofOperation: string | null): Readonly<Record<string, string>> {
  return first === undefined ? {} : { 'www-authenticate': `Bearer error="insufficient_scope", scope="${ofOperation ?? first}"` }
}

/** JSON of a failure by the contract's schema for its status; `{"message"}` where it has none. */
export function failureBody(
  schema: ContractSchema | undefined,
  { message, faults = [], currentVersion = null }: StoreFailure,
): string {
  const body: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema?.properties ?? { message: {} })) {
    if (name === 'message' || name === 'error') body[name] = message
    else if (name === 'current_version') body[name] = currentVersion
    else if (name === 'errors') body[name] = property.type === 'array' ? sentences(message, faults) : byField(faults)
  }
  return JSON.stringify(body)
}

const sentences = (message: string, faults: readonly RequestFault[]): readonly string[] =>
  faults.length === 0 ? [message] : faults.map((fault) => fault.message)

/** Undefined where no field is at fault. */
function byField(faults: readonly RequestFault[]): Readonly<Record<string, readonly string[]>> | undefined {
  if (faults.length === 0) return undefined
  const fields = new Map<string, string[]>()
  for (const { field, message } of faults) {
    const known = fields.get(field)
    if (known) known.push(message)
    else fields.set(field, [message])
  }
  return Object.fromEntries(fields)
}
