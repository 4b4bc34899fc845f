import type { GraphQLFormattedError } from 'graphql'
import type { Caller } from '../../platform/http/caller.ts'
import { TOKEN_KEY } from '../authorization/jwt-grants.ts'
import type { TokenVerifier, VerifiedToken } from '../authorization/token-verifier.ts'
import type { ClientHeaders } from '../headers/client-headers.ts'
import { refusal } from '../operations/errors.ts'
import type { ExecutableOperation } from '../operations/prepared-operation.ts'
import type { RequestContext } from '../subgraph-client/link.ts'

/** What happens around every operation, whatever its transport. */
export type OperationExchange = {
  /** `operation`, with its caller completed before it and the headers of its response after it. */
  readonly wrap: (operation: ExecutableOperation) => ExecutableOperation
  /** What shared caches must tell requests apart by. */
  readonly vary: ClientHeaders['vary']
}

export type ExchangeOptions = {
  /** What rules read of the client's headers; null: nothing. */
  readonly clientHeaders: ClientHeaders | null
  /** Whether rules collect headers of subgraphs for the response. */
  readonly collectsHeaders: boolean
  readonly verifier: TokenVerifier | null
  /** Whether rules or hooks read claims. */
  readonly readsClaims: boolean
  /** Whether rules send the address of the client in a header of their own. */
  readonly readsAddress: boolean
}

/** The context to run an operation in, or why it is refused. */
/** The key of the address among the headers that distinguish callers. */
const ADDRESS_KEY = ':address'

type Begun = { readonly context: RequestContext } | { readonly refused: GraphQLFormattedError }

/**
 * Completes callers by rules, and collects headers for their responses; null where no option asks
 * for any of it, so that it costs nothing.
 */
export function createOperationExchange(given: ExchangeOptions): OperationExchange | null {
  const { clientHeaders, collectsHeaders, verifier, readsClaims, readsAddress } = given
  const readsTokens = verifier !== null && (verifier.isRequired || readsClaims || verifier.readsHeaders)
  if (!clientHeaders && !collectsHeaders && !readsTokens && !readsAddress) return null

  // What stands in no header that could be named here differs as well.
  return { wrap, vary: readsAddress || verifier?.readsHeaders ? '*' : (clientHeaders?.vary ?? []) }

  function wrap(operation: ExecutableOperation): ExecutableOperation {
    const { run, answer, runIncremental, subscribe } = operation
    return {
      ...operation,
      async run(variables, context) {
        const begun = await begin(context)
        if ('refused' in begun) return { errors: [begun.refused] }
        const result = await run(variables, begun.context)
        finish(begun.context)
        return result
      },
      answer:
        answer &&
        (async (variables, context) => {
          const begun = await begin(context)
          if ('refused' in begun) return { result: { errors: [begun.refused] } }
          const result = await answer(variables, begun.context)
          finish(begun.context)
          return result
        }),
      runIncremental:
        runIncremental &&
        (async (variables, context) => {
          const begun = await begin(context)
          if ('refused' in begun) return { initial: { errors: [begun.refused] }, rest: null }
          const result = await runIncremental(variables, begun.context)
          finish(begun.context)
          return result
        }),
      subscribe:
        subscribe &&
        (async (variables, context) => {
          const begun = await begin(context)
          if ('refused' in begun) return { kind: 'refused', errors: [begun.refused] }
          // A subscription would keep the client's headers as long as it runs.
          const { exchange: _, ...lasting } = begun.context
          return subscribe(variables, lasting)
        }),
    }
  }

  function begin(context: RequestContext): Begun | Promise<Begun> {
    const { caller, exchange } = context
    const headers = (exchange && clientHeaders?.pick(exchange.headers)) ?? null
    const token = readsTokens ? verifier.tokenIn(caller.credentials, exchange?.headers ?? null) : null
    const completed = withHeaders(caller, headers, token, readsAddress)
    const collecting = collectsHeaders ? { responseHeaders: new Map() } : null
    const complete = (verified: VerifiedToken | null): Begun => {
      if (verifier?.isRequired && !verified?.claims) return { refused: refusedToken(context, verified) }
      const claims = readsClaims && verified?.claims ? { claims: verified.claims } : null
      return { context: { ...context, ...collecting, caller: claims ? { ...completed, ...claims } : completed } }
    }
    const verified = readsTokens && (readsClaims || verifier.isRequired) ? verifier.verify(token) : null
    return verified instanceof Promise ? verified.then(complete) : complete(verified)
  }
}

/** Everything that callers differ by stands in their headers, so that nothing is shared by mistake. */
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

function refusedToken({ exchange }: RequestContext, verified: VerifiedToken | null): GraphQLFormattedError {
  const denial = verified?.grants.denial ?? refusal('UNAUTHENTICATED', 'Expected a valid token, got none.')
  if (exchange) exchange.status = denial.extensions?.code === 'UNAUTHENTICATED' ? 401 : 503
  return denial
}

/** Operations of one batch share their response. */
function finish({ exchange, responseHeaders }: RequestContext): void {
  if (!exchange || !responseHeaders || responseHeaders.size === 0) return
  exchange.response ??= new Map()
  const { response } = exchange
  for (const [name, values] of responseHeaders) {
    response.set(name, name === 'set-cookie' ? [...(response.get(name) ?? []), ...values] : values)
  }
}
