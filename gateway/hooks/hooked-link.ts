import type { IncomingHttpHeaders } from 'node:http'
import type { ExecutionResult, GraphQLError } from 'graphql'
import { isProtectedRequestHeader } from '../headers/protected-headers.ts'
import type { EventSource, Link, RequestContext, SubgraphRequest, SubscribeResult } from '../subgraph-client/link.ts'
import { withFiles } from '../uploads/file-upload.ts'
import { checkedChanges, withChanges } from './header-changes.ts'
import type { HookStages } from './hook-stages.ts'
import { createHookState } from './hook-state.ts'
import type { HeaderChanges, HookResult } from './hooks.ts'
import { replacedResult } from './replaced-result.ts'

/**
 * Link that runs hooks on requests and responses. Without `schema`, because responses that hooks
 * may change are untrusted; without an entity cache, because they are for one caller.
 */
export function hookLink(link: Link, stages: HookStages): Link {
  const { schema: _, cacheEntities: __, subscribe, ...others } = link
  return { ...others, execute, ...(subscribe && { subscribe: subscribeWith(subscribe.bind(link)) }) }

  async function execute(request: SubgraphRequest, given: RequestContext): Promise<ExecutionResult> {
    const begun = await begin(request, given)
    if ('refused' in begun) return { data: null, errors: begun.refused }
    if (!stages.has('subgraphResponse')) return link.execute(request, begun.context)
    let headers: IncomingHttpHeaders = {}
    const onHeaders = (received: IncomingHttpHeaders) => {
      headers = received
      request.onHeaders?.(received)
    }
    // Parsed, also where the bytes are the answer: a hook may change the data in place.
    const result = await link.execute({ ...request, readBody: undefined, onHeaders }, begun.context)
    return respond(result, headers, begun.context)
  }

  function subscribeWith(open: NonNullable<Link['subscribe']>): NonNullable<Link['subscribe']> {
    return async (request, given): Promise<SubscribeResult<EventSource, GraphQLError>> => {
      const begun = await begin(request, given)
      if ('refused' in begun) return { kind: 'refused', errors: begun.refused }
      const opened = await open(request, begun.context)
      if (opened.kind === 'refused' || !stages.has('subgraphResponse')) return opened
      const { source } = opened
      const resolve: EventSource['resolve'] = async (event, context) =>
        respond(await source.resolve(event, context), {}, { ...context, hooks: context.hooks ?? begun.context.hooks })
      return { kind: 'open', source: { ...source, resolve } }
    }
  }

  /** Context of a fetch; with separate link state when hooks change its headers. */
  async function begin(
    { query, operationName, variables: own }: SubgraphRequest,
    given: RequestContext,
  ): Promise<{ readonly refused: readonly GraphQLError[] } | { readonly context: RequestContext }> {
    // Copies of the context share this map.
    given.perLink ??= new Map()
    const context = { ...given, hooks: given.hooks ?? createHookState(null) }
    if (!stages.has('subgraphRequest')) return { context }
    const { requestId } = given.caller
    const headers = link.requestHeaders?.(given) ?? {}
    const variables = given.uploads ? withFiles(own, () => null) : own
    const call = { requestId, context: context.hooks.context, subgraph: link.name, query, operationName, variables, headers }
    let changes: HeaderChanges | null = null
    const stageResult = await stages.run('subgraphRequest', call, given.signal, (before, { headers: changed }) => {
      if (!changed) return before
      const checked = checkedChanges(changed, isProtectedRequestHeader)
      changes = { ...changes, ...checked }
      return { ...before, headers: withChanges(before.headers, checked) }
    })
    if (stageResult.kind === 'refused') return { refused: stageResult.errors }
    // A new map, so that fetches with different headers are neither deduplicated nor batched.
    return { context: changes ? { ...context, fetchHeaders: changes, perLink: new Map() } : context }
  }

  async function respond(
    result: ExecutionResult,
    received: IncomingHttpHeaders,
    { caller: { requestId }, hooks, signal }: RequestContext,
  ): Promise<ExecutionResult> {
    const { data, errors, extensions } = result
    const headers = Object.fromEntries(Object.entries(received).map(([name, value]) => [name, String(value ?? '')]))
    const call = {
      requestId,
      context: (hooks ?? createHookState(null)).context,
      subgraph: link.name,
      headers,
      ...responseOf({ data, errors: errors?.map((error) => error.toJSON()), extensions }),
    }
    let replaced: ExecutionResult | null = null
    const stageResult = await stages.run('subgraphResponse', call, signal, (before, { result: replacement }) => {
      if (replacement === undefined) return before
      const { data: _, errors: __, extensions: ___, ...same } = before
      const checked = replacedResult(replacement)
      replaced = checked
      return { ...same, ...responseOf({ ...checked, errors: checked.errors?.map((error) => error.toJSON()) }) }
    })
    return stageResult.kind === 'refused' ? { data: null, errors: stageResult.errors } : (replaced ?? result)
  }
}

const responseOf = ({
  data,
  errors,
  extensions,
}: {
  readonly [Name in keyof HookResult]: HookResult[Name] | undefined
}): HookResult => ({
  ...(data !== undefined && { data }),
  ...(errors && { errors }),
  ...(extensions && { extensions }),
})
