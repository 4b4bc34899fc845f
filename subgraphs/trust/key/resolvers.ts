import type { Resolvers } from '#generated/trust/resolvers.ts'
import { excerpt } from '../../../platform/graphql/errors.ts'
import { upperCase } from '../../../platform/text/case.ts'
import { decodeId, encodeId } from '../../toolkit/ids.ts'
import { textProblem } from '../../toolkit/validation.ts'
import { MAX_KEYS_PER_USER, MAX_NEW_KEYS_PER_MONTH, SCANS_PER_MONTH } from './key.ts'
import { newSecret } from './secret.ts'
import { usageOf } from './usage.ts'

const MAX_NAME_CHARACTERS = 100

export const keyResolvers = {
  Query: {
    trustUsage: async (_, __, { key, keys, now }) => usageOf(await key(), now(), keys),
    trustKeys: async (_, __, { requireUser, keys, now }) => [...(await keys.listOf(await requireUser(), now()))],
  },
  Mutation: {
    createTrustKey: async (_, { name }, { requireUser, keys, now }) => {
      const owner = await requireUser()
      const wrong = textProblem('name', name, MAX_NAME_CHARACTERS)
      if (wrong) return { __typename: 'InvalidTrustKeyName', message: wrong.message }
      const secret = newSecret()
      const key = await keys.createOf(owner, { name: name.trim(), plan: 'free', secret, at: now() })
      if (key === 'too many in use') return limitReached(`at most ${MAX_KEYS_PER_USER} keys in use: revoke one first`)
      if (key === 'too many made') return limitReached(`at most ${MAX_NEW_KEYS_PER_MONTH} new keys in a month: wait for the next`)
      return { __typename: 'CreateTrustKeySuccess', key, secret: secret.text }
    },
    revokeTrustKey: async (_, { id }, { requireUser, keys, now }) => {
      const owner = await requireUser()
      const row = decodeId(id, API_KEY)
      if (row !== null && (await keys.revokeOf(owner, row, now()))) return { __typename: 'RevokeTrustKeySuccess', id }
      return { __typename: 'TrustKeyNotFound', message: `There is no key in use with the id ${excerpt(id)}.` }
    },
  },
  TrustKey: {
    id: ({ id }) => encodeId(API_KEY, id),
    plan: ({ plan }) => upperCase(plan),
    limit: ({ plan }) => SCANS_PER_MONTH[plan],
  },
  TrustUsage: {
    plan: ({ plan }) => upperCase(plan),
  },
} satisfies Resolvers

/** As `npx atrium trust key` shows them. */
export const API_KEY = 'ApiKey'

const limitReached = (limit: string) => ({ __typename: 'TrustKeyLimitReached' as const, message: `Expected ${limit}.` })
