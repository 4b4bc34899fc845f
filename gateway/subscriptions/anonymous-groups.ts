import type { GraphQLFormattedError } from 'graphql'
import type { RequestContext } from '../subgraph-client/link.ts'
import type { SourceMemory } from './source-memory.ts'
import type { Begun, EventPipeline, Running } from './subscribe.ts'
import { type SubscriptionGroup, subscriptionGroup } from './subscription-group.ts'
import { anonymousCaller } from './viewer-key.ts'

type Variables = Readonly<Record<string, unknown>>

/** A group that is opening or open. */
type Opening = { readonly opened: Promise<Begun<SubscriptionGroup>> }

/** Opens an event source; `text` is the variables as JSON. */
export type OpenSource = (text: string, variables: Variables, context: RequestContext) => Promise<Begun<EventPipeline>>

/** Joins anonymous subscribers of one operation; those with equal variables share one source. */
type JoinGroup = (
  text: string,
  variables: Variables,
  requestContext: RequestContext,
  onReleased: () => void,
) => Promise<Begun<Running>>

export function createAnonymousGroups(open: OpenSource, memory: SourceMemory): JoinGroup {
  const groups = new Map<string, Opening>()
  return join

  async function join(
    text: string,
    variables: Variables,
    requestContext: RequestContext,
    onReleased: () => void,
  ): Promise<Begun<Running>> {
    const opening = groups.get(text) ?? openGroup(text, variables, requestContext)
    if (!('opened' in opening)) return { kind: 'refused', errors: [opening] }
    const opened = await opening.opened
    if (opened.kind === 'refused') return opened
    const running = opened.source.join(onReleased)
    // All waiting callers may join; an open group may have ended meanwhile.
    return running ? { kind: 'open', source: running } : join(text, variables, requestContext, onReleased)
  }

  function openGroup(text: string, variables: Variables, request: RequestContext): Opening | GraphQLFormattedError {
    const bytes = memory.reserve(text, request)
    if (typeof bytes !== 'number') return bytes
    // Not aborted by the first caller, which may leave while others wait.
    const { traceparent } = request.caller
    const caller = { ...anonymousCaller(request.caller), ...(traceparent !== undefined && { traceparent }) }
    const context = { caller, signal: NEVER }
    const forget = () => {
      if (groups.get(text) === opening) groups.delete(text)
      memory.release(bytes)
    }
    const opened = open(text, variables, context).then((begun): Begun<SubscriptionGroup> => {
      if (begun.kind === 'open') return { kind: 'open', source: subscriptionGroup(begun.source, forget) }
      forget()
      return begun
    })
    const opening: Opening = { opened }
    groups.set(text, opening)
    return opening
  }
}

const NEVER = new AbortController().signal
