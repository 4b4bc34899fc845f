import { randomBytes } from 'node:crypto'
import type { Resolvers } from '#generated/store/resolvers.ts'
import { hashOf } from '../access/access.ts'

/**
 * A working day: the next day needs a new sign-in. The cookie of the console lives as long
 * (web/console/session.ts).
 */
const SESSION_MS = 8 * 60 * 60 * 1000
const SECRET_BYTES = 32

export const consoleSessionResolvers = {
  Query: {
    isConsoleSessionOpen: async (_, { secret }, { storeId, consoleSessions, now }) =>
      consoleSessions.isOpen(await storeId(), hashOf(secret), now()),
  },
  Mutation: {
    beginConsoleSession: async (_, __, { access, consoleSessions, now }) => {
      const { storeId, staff } = await access()
      const [secret, at] = [randomBytes(SECRET_BYTES).toString('base64url'), now()]
      const expiresAt = new Date(at.getTime() + SESSION_MS)
      await consoleSessions.insert(storeId, hashOf(secret), { userId: staff?.userId ?? null, at, expiresAt })
      return { secret, expiresAt }
    },
    endConsoleSession: async (_, { secret }, { storeId, consoleSessions }) =>
      consoleSessions.delete(await storeId(), hashOf(secret)),
  },
} satisfies Resolvers
