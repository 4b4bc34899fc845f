import type { Resolvers } from '#generated/trust/resolvers.ts'
import { excerpt, notFound } from '../../../platform/graphql/errors.ts'
import { upperCase } from '../../../platform/text/case.ts'
import { decodeId, encodeId } from '../../toolkit/ids.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { STATES } from '../assessment/resolvers.ts'
import type { InputFault } from '../input-fault.ts'
import { currentKey, requestKey } from '../key/request-key.ts'
import type { State } from '../pipeline/stages.ts'
import { verdictChangesOf } from './events.ts'
import { newWebhookSecret } from './secrets.ts'
import {
  changeId,
  type DomainVerdictChange,
  MAX_WATCHED_DOMAINS,
  type VerdictChange,
  validateWatch,
  type WatchedDomain,
} from './watched-domain.ts'

const WATCHES: KeysetList<WatchedDomain> = { name: 'watchedDomains', parts: ['text'], positionOf: ({ domain }) => [domain] }
const CHANGES: KeysetList<VerdictChange> = { name: 'verdictChanges', parts: ['row'], positionOf: ({ id }) => [id] }

export const watchedDomainResolvers = {
  Query: {
    watchedDomains: async (_, { domain, keyId, ...page }, context) => {
      const key = await requestKey(keyId, context)
      const { watches, engine } = context
      const range = keysetRange(WATCHES, page)
      const found = domain == null ? null : engine.normalise('domain', domain)
      // An invalid name is not watched.
      const listed = { keyId: key.id, domain: found && (found.kind === 'target' ? found.target.host : '') }
      return keysetPage(WATCHES, range, await watches.list(listed, range), () => watches.count(listed))
    },
    verdictChanges: async (_, { watchId, keyId, ...page }, context) => {
      const key = await requestKey(keyId, context)
      const { watches } = context
      const range = keysetRange(CHANGES, page)
      const row = decodeId(watchId, WATCHED_DOMAIN)
      if (row === null || !(await watches.has(key.id, row))) return null
      return keysetPage(CHANGES, range, await watches.changes(row, range), () => watches.countChanges(row))
    },
  },
  Mutation: {
    watchDomain: async (_, { input }, context) => {
      const key = await requestKey(input.keyId, context)
      const { watches, engine, webhookRefusal, now } = context
      const checked = validateWatch({ domain: input.domain, webhookUrl: input.webhookUrl ?? null }, engine, webhookRefusal)
      if ('faults' in checked) return invalidWatch(checked.faults)
      const secret = checked.watch.webhookUrl === null ? null : newWebhookSecret()
      const watch = await watches.add(key, checked.watch, { secret, at: now() })
      if (watch === 'watched')
        return invalidWatch([
          { field: 'domain', code: 'watched', message: 'Expected "domain" to be one that this key does not watch yet.' },
        ])
      if (watch === 'too many') {
        const message = `Expected at most ${MAX_WATCHED_DOMAINS[key.plan]} watched domains of this key: remove one first.`
        return invalidWatch([{ field: 'domain', code: 'too_many', message }])
      }
      return { __typename: 'WatchDomainSuccess', watch, webhookSecret: secret }
    },
    unwatchDomain: async (_, { id, keyId }, context) => {
      const key = await requestKey(keyId, context)
      const row = decodeId(id, WATCHED_DOMAIN)
      if (row !== null && (await context.watches.remove(key.id, row))) return { __typename: 'UnwatchDomainSuccess', id }
      return { __typename: 'WatchedDomainNotFound', message: `There is no watched domain with the id ${excerpt(id)}.` }
    },
  },
  Subscription: {
    domainVerdictChanged: {
      subscribe: async (_, { watchId, keyId }, context) => {
        const key = await requestKey(keyId, context)
        const row = watchId == null ? null : decodeId(watchId, WATCHED_DOMAIN)
        if (watchId != null && (row === null || !(await context.watches.has(key.id, row))))
          throw notFound('watched domain', watchId)
        const check = async () => void (await currentKey(keyId, context, key.id))
        return verdictChangesOf(key, { watchId: row, listener: await context.credentialName(), check }, context)
      },
      resolve: (change: DomainVerdictChange) => change,
    },
  },
  WatchedDomain: {
    id: ({ id }) => encodeId(WATCHED_DOMAIN, id),
  },
  Verdict: {
    action: ({ action }) => upperCase(action),
    state: ({ state }) => stateOf(state),
    reasonCodes: ({ reasonCodes }) => [...reasonCodes],
  },
  VerdictChange: {
    id: ({ id }) => changeId(id),
    previousAction: ({ previousAction }) => previousAction && upperCase(previousAction),
    previousState: ({ previousAction, previousState }) => (previousAction === null ? null : stateOf(previousState)),
    webhook: ({ webhook, attempts, dueAt, error }) =>
      webhook && { status: upperCase(webhook), attempts, nextAttemptAt: dueAt, error },
  },
  WatchedDomainConnection: connectionFields,
  VerdictChangeConnection: connectionFields,
} satisfies Resolvers

const WATCHED_DOMAIN = 'WatchedDomain'

const stateOf = (state: State | null) => (state === null ? 'STRUCTURAL' : STATES[state])

const invalidWatch = (faults: readonly InputFault[]) => ({
  __typename: 'InvalidWatchedDomain' as const,
  message: faults.map(({ message }) => message).join(' '),
  faults,
})
