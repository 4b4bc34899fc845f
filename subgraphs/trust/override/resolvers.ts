import type { Resolvers } from '#generated/trust/resolvers.ts'
import { excerpt } from '../../../platform/graphql/errors.ts'
import { lowerCase, upperCase } from '../../../platform/text/case.ts'
import { encodeId } from '../../toolkit/ids.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import type { InputFault } from '../input-fault.ts'
import { MAX_OVERRIDES_PER_KEY, type Override, scopeOf, validateOverride } from './override.ts'

const OVERRIDES: KeysetList<Override> = { name: 'overrides', parts: ['text'], positionOf: ({ subject }) => [subject] }

export const overrideResolvers = {
  Query: {
    overrides: async (_, { subject, ...page }, { rateLimitedKey: request, overrides, engine, now }) => {
      const { id: keyId } = await request(1)
      const range = keysetRange(OVERRIDES, page)
      const found = subject == null ? null : engine.normalise('url', subject)
      // An invalid name has no override.
      const listed = { keyId, subject: found && (found.kind === 'target' ? found.target.host : ''), at: now() }
      return keysetPage(OVERRIDES, range, await overrides.list(listed, range), () => overrides.count(listed))
    },
  },
  Mutation: {
    setOverride: async (_, { input }, { rateLimitedKey: pending, overrides, engine, now }) => {
      const { id: keyId } = await pending(1)
      const { subject, action, reason, expiresAt } = input
      const at = now()
      const checked = validateOverride({ subject, reason, action: lowerCase(action), expiresAt: expiresAt ?? null }, at, engine)
      if ('faults' in checked) return invalidOverride(checked.faults)
      const override = await overrides.set(keyId, checked.override, at)
      if (override) return { __typename: 'SetOverrideSuccess', override }
      return invalidOverride([
        {
          field: 'subject',
          code: 'too_many',
          message: `Expected at most ${MAX_OVERRIDES_PER_KEY} overrides of one key: delete some first.`,
        },
      ])
    },
    deleteOverride: async (_, { subject }, { rateLimitedKey: limitedKey, overrides, engine }) => {
      const { id: keyId } = await limitedKey(1)
      const found = engine.normalise('url', subject)
      if (found.kind === 'target' && (await overrides.delete(keyId, found.target.host))) {
        return { __typename: 'DeleteOverrideSuccess', subject: found.target.host }
      }
      return { __typename: 'OverrideNotFound', message: `There is no override of ${excerpt(subject)}.` }
    },
  },
  Override: {
    id: ({ id }) => encodeId('Override', id),
    scope: ({ subject }, _, { engine }) => scopeOf(subject, engine),
    action: ({ action }) => upperCase(action),
  },
  OverrideConnection: connectionFields,
} satisfies Resolvers

const invalidOverride = (faults: readonly InputFault[]) => ({
  __typename: 'InvalidOverride' as const,
  message: faults.map(({ message }) => message).join(' '),
  faults,
})
