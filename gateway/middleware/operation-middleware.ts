import type { GraphQLFormattedError } from 'graphql'
import type { Caller } from '../../platform/http/caller.ts'
import { TOKEN_KEY } from '../authorization/jwt-grants.ts'
import type { TokenVerifier, VerifiedToken } from '../authorization/token-verifier.ts'
import type { ClientHeaders } from '../headers/client-headers.ts'
import type { HookStages } from '../hooks/hook-stages.ts'
import { type DescribedOperation, describeOperation, runOperationStage, runRequestStage } from '../hooks/operation-hooks.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import { refusal } from '../operations/errors.ts'
import type { ExecutableOperation } from '../operations/prepared-operation.ts'
import type { RequestContext } from '../subgraph-client/link.ts'

/** Processing before and after every operation, for all transports. */
export type OperationMiddleware = {
  /** Wraps an operation: completes its caller before it, and sets response headers after it. */
  readonly wrap: (operation: ExecutableOperation, validated: ValidatedOperation) => ExecutableOperation
  /** Headers for `Vary`; `*` when no header name suffices. */
  readonly vary: ClientHeaders['vary']
}

export type MiddlewareOptions = {
  /** Client headers that rules read; null for none. */
  readonly clientHeaders: ClientHeaders | null
  /** Whether rules copy subgraph headers into the response. */
  readonly collectsHeaders: boolean
  readonly verifier: TokenVerifier | null
  /** Whether rules or hooks read token claims. */
  readonly readsClaims: boolean
  /** Whether rules forward the client's address in a header. */
  readonly readsAddress: boolean
  /** Hooks of the operator; null: none. */
  readonly hooks?: HookStages | null
}

/** Key of the client's address in `caller.headers`. */
const ADDRESS_KEY = ':address'
/** Key that makes each subscriber distinct, when hooks change results, so that none are shared. */
const SUBSCRIBER_KEY = ':subscriber'

type Variables = Readonly<Record<string, unknown>>
type Refused = { readonly refused: readonly GraphQLFormattedError[] }
/** Context for running an operation, with variables changed by a hook, or a refusal. */
type Begun = { readonly context: RequestContext; readonly variables?: Variables } | Refused

/** Creates the processing from options; null when no option needs any, so that it costs nothing. */
export function createOperationMiddleware(given: MiddlewareOptions): OperationMiddleware | null {
  const { clientHeaders, collectsHeaders, verifier, readsClaims, readsAddress, hooks = null } = given
  const readsTokens = verifier !== null && (verifier.isRequired || readsClaims || verifier.readsHeaders)
  if (!clientHeaders && !collectsHeaders && !readsTokens && !readsAddress && !hooks) return null
  const isUnshared = hooks !== null && (hooks.changesFetches || hooks.has('subscriptionEvent'))
  let subscribers = 0

  // `*`: address, hooks and cookie tokens cannot be expressed as header names.
  return { wrap, vary: readsAddress || hooks || verifier?.readsHeaders ? '*' : (clientHeaders?.vary ?? []) }

  function wrap(operation: ExecutableOperation, validated: ValidatedOperation): ExecutableOperation {
    const { run, answer, runIncremental, subscribe } = operation
    const describe = describeOperation(validated)
    const begin = (variables: Variables, context: RequestContext): Begun | Promise<Begun> =>
      hooks ? beginHooked(hooks, describe, variables, context) : complete(context)
    return {
      ...operation,
      async run(variables, context) {
        const begun = await begin(variables, context)
        if ('refused' in begun) return { errors: begun.refused }
        const result = await run(begun.variables ?? variables, begun.context)
        finish(begun.context)
        return result
      },
      answer:
        answer &&
        (async (variables, context) => {
          const begun = await begin(variables, context)
          if ('refused' in begun) return { result: { errors: begun.refused } }
          const result = await answer(begun.variables ?? variables, begun.context)
          finish(begun.context)
          return result
        }),
      runIncremental:
        runIncremental &&
        (async (variables, context) => {
          const begun = await begin(variables, context)
          if ('refused' in begun) return { initial: { errors: begun.refused }, rest: null }
          const result = await runIncremental(begun.variables ?? variables, begun.context)
          finish(begun.context)
          return result
        }),
      subscribe:
        subscribe &&
        (async (variables, context) => {
          const begun = await begin(variables, context)
          if ('refused' in begun) return { kind: 'refused', errors: begun.refused }
          // Without the HTTP context, so that a subscription does not keep request headers in memory.
          const { http: _, ...lasting } = begun.context
          return subscribe(begun.variables ?? variables, isUnshared ? unshared(lasting) : lasting)
        }),
    }
  }

  async function beginHooked(
    stages: HookStages,
    describe: DescribedOperation,
    variables: Variables,
    context: RequestContext,
  ): Promise<Begun> {
    const requested = await runRequestStage(stages, describe, variables, context)
    if ('refused' in requested) return requested
    const completed = await complete(requested.context, requested.headers)
    return 'refused' in completed ? completed : runOperationStage(stages, variables, completed.context)
  }

  /** `headers`: the client's, or those changed by a hook. */
  function complete(context: RequestContext, headers = context.http?.headers ?? null): Begun | Promise<Begun> {
    const { caller } = context
    const picked = (headers && clientHeaders?.pick(headers)) ?? null
    const token = readsTokens ? verifier.tokenIn(caller.credentials, headers) : null
    const completed = withHeaders(caller, picked, token, readsAddress)
    const collecting = collectsHeaders ? { responseHeaders: new Map() } : null
    const verifiedContext = (verified: VerifiedToken | null): Begun => {
      if (verifier?.isRequired && !verified?.claims) return { refused: [refusedToken(context, verified)] }
      const claims = readsClaims && verified?.claims ? { claims: verified.claims } : null
      return { context: { ...context, ...collecting, caller: claims ? { ...completed, ...claims } : completed } }
    }
    const verified = readsTokens && (readsClaims || verifier.isRequired) ? verifier.verify(token) : null
    return verified instanceof Promise ? verified.then(verifiedContext) : verifiedContext(verified)
  }

  /** Gives each subscriber a unique caller identity, which prevents sharing. */
  function unshared(context: RequestContext): RequestContext {
    const { caller } = context
    return { ...context, caller: { ...caller, headers: { ...caller.headers, [SUBSCRIBER_KEY]: String(++subscribers) } } }
  }
}

/**
 * Stores everything that distinguishes callers in `headers`, which cache and sharing keys contain.
 */
function withHeaders(
  caller: Caller,
  headers: Readonly<Record<string, string>> | null,
  token: string | null,
  readsAddress: boolean,
): Caller {
  const isElsewhere = token !== null && !caller.credentials.authorization?.endsWith(token)
  if (headers === null && !isElsewhere && !readsAddress) return caller
  return {
    ...caller,
    headers: {
      ...headers,
      ...(isElsewhere && { [TOKEN_KEY]: token }),
      ...(readsAddress && { [ADDRESS_KEY]: caller.address }),
    },
  }
}

function refusedToken({ http }: RequestContext, verified: VerifiedToken | null): GraphQLFormattedError {
  const denial = verified?.grants.denial ?? refusal('UNAUTHENTICATED', 'Expected a valid token, got none.')
  if (http) http.status = denial.extensions?.code === 'UNAUTHENTICATED' ? 401 : 503
  return denial
}

/** Adds collected headers to the response, which all operations of a batch share. */
function finish({ http, responseHeaders }: RequestContext): void {
  if (!http || !responseHeaders || responseHeaders.size === 0) return
  http.response ??= new Map()
  const { response } = http
  for (const [name, values] of responseHeaders) {
    response.set(name, name === 'set-cookie' ? [...(response.get(name) ?? []), ...values] : values)
  }
}
