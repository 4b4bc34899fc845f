import type { ClientResult, GatewayClient } from '../../gateway/client.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Facade } from './facade.ts'
import type { Failure, ProblemDetails } from './problem.ts'

type Errors = ClientResult<unknown>['errors']

/** What a facade with a caller check tells callers beside its responses. */
export type CallerHeaders<Fault extends Failure> = {
  /**
   * The failure with the headers of the caller; for callers without valid credentials, that failure
   * instead.
   */
  readonly addTo: (
    failure: Fault | ProblemDetails,
    toFailure: (errors: Errors) => Fault | ProblemDetails,
    caller: Caller,
    signal: AbortSignal,
  ) => Promise<Fault | ProblemDetails>
  /** The failure of a caller without valid credentials; null for others. */
  readonly failureOf: (
    caller: Caller,
    toFailure: (errors: Errors) => Fault | ProblemDetails,
    signal: AbortSignal,
  ) => Promise<Fault | ProblemDetails | null>
  /** For mutations, whose documents cannot select the caller beside them. */
  readonly of: (caller: Caller, signal: AbortSignal) => Promise<Readonly<Record<string, string>>>
}

/** Without a check, failures stay as they are and there are no headers. */
export function createCallerHeaders<Data, Input, Fault extends Failure>(
  { callerCheck }: Facade<Data, Input, Fault>,
  client: GatewayClient,
): CallerHeaders<Fault> {
  return { addTo, failureOf, of }

  async function addTo(
    failure: Fault | ProblemDetails,
    toFailure: (errors: Errors) => Fault | ProblemDetails,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Fault | ProblemDetails> {
    if (!callerCheck) return failure
    const { data, errors } = await client.run(callerCheck.document, {}, caller, signal)
    if (data === null || errors.length > 0) return toFailure(errors)
    return { ...failure, headers: { ...callerCheck.headers(data), ...failure.headers } }
  }

  async function failureOf(
    caller: Caller,
    toFailure: (errors: Errors) => Fault | ProblemDetails,
    signal: AbortSignal,
  ): Promise<Fault | ProblemDetails | null> {
    if (!callerCheck) return null
    const { data, errors } = await client.run(callerCheck.document, {}, caller, signal)
    return data === null || errors.length > 0 ? toFailure(errors) : null
  }

  async function of(caller: Caller, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    if (!callerCheck) return {}
    const { data } = await client.run(callerCheck.document, {}, caller, signal)
    return data === null ? {} : callerCheck.headers(data)
  }
}
