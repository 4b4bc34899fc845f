import type { Resolvers } from '#generated/social/resolvers.ts'
import { encodeId } from '../../toolkit/ids.ts'
import { hashPassword, passwordProblem } from '../../toolkit/password.ts'
import { notFoundError, validationError } from '../../toolkit/validation.ts'
import type { Context } from '../context.ts'
import { checkPassword, openSession, type PasswordCheck, refreshedAt, refreshSession, type Tokens } from './sign-in.ts'

export const sessionResolvers = {
  Query: {
    sessions: async (_, __, { requireViewer, sessions, now }) => {
      const { user, sessionId } = await requireViewer()
      const open = await sessions.list(user.id, now())
      return open.map((session) => ({
        ...session,
        refreshedAt: refreshedAt(session),
        isCurrent: session.id === sessionId,
      }))
    },
    jsonWebKeys: async (_, __, { keys, now }) => {
      const published = await keys.published(now())
      return published.map(({ kid, publicKey: { kty = 'OKP', crv = 'Ed25519', x = '' } }) => ({
        kty,
        crv,
        kid,
        x,
        alg: 'EdDSA',
        use: 'sig',
      }))
    },
  },
  Session: {
    id: ({ id }) => encodeId(SESSION, id),
  },
  Mutation: {
    login: async (_, { email, password }, context) => {
      await context.limits.logIns(context.caller.address)
      const checked = await checkPassword(email, password, context)
      if (checked.kind !== 'right') return refusedLogin(checked)
      const opened = await openSession(checked.credentials, context)
      return opened ? success(checked.credentials.userId, opened, context) : refusedLogin({ kind: 'wrong' })
    },
    refreshSession: async (_, { refreshToken }, context) => {
      await context.limits.refreshes(context.caller.address)
      const refreshed = await refreshSession(refreshToken, context)
      if (refreshed) return success(refreshed.userId, refreshed, context)
      const message = 'Expected a refresh token that was not used before and has not ended: sign in again.'
      return { __typename: 'InvalidRefreshToken', message }
    },
    changePassword: async (_, { input: { currentPassword, newPassword } }, context) => {
      const { user, sessionId } = await context.requireViewer()
      await context.limits.logIns(context.caller.address)
      const wrong = passwordProblem('newPassword', newPassword)
      if (wrong) return validationError([wrong])
      const checked = await checkPassword(user.email, currentPassword, context)
      if (checked.kind !== 'right') return refusedLogin(checked)
      const change = { sessionId, at: context.now(), checked: checked.credentials }
      const isSet = await context.sessions.setPassword(user.id, await hashPassword(newPassword), change)
      return isSet ? { __typename: 'ChangePasswordSuccess', user } : refusedLogin({ kind: 'wrong' })
    },
    signOut: async (_, __, { requireViewer, sessions, now }) => {
      const { sessionId } = await requireViewer()
      return { sessionsEnded: await sessions.end(sessionId, now()) }
    },
    endSession: async (_, { id }, { requireViewer, sessions, now }) => {
      const { user } = await requireViewer()
      const row = sessionIdIn(id)
      const ended = row === null ? 0 : await sessions.endOf(user.id, row, now())
      return ended === 0 ? notFoundError('session', id) : { __typename: 'EndSessionSuccess', id }
    },
    signOutElsewhere: async (_, __, { requireViewer, sessions, now }) => {
      const { user, sessionId } = await requireViewer()
      return { sessionsEnded: await sessions.endAll(user.id, now(), sessionId) }
    },
    signOutEverywhere: async (_, __, { requireViewer, sessions, now }) => {
      const { user } = await requireViewer()
      return { sessionsEnded: await sessions.endAll(user.id, now()) }
    },
  },
} satisfies Resolvers

const SESSION = 'Session'

/** The row id of an opaque id; null for any other text. Rows of sessions have UUIDs. */
function sessionIdIn(id: string): string | null {
  const row = Buffer.from(id, 'base64url')
    .toString()
    .slice(SESSION.length + 1)
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(row) && encodeId(SESSION, row) === id ? row : null
}

function refusedLogin(checked: PasswordCheck & { readonly kind: 'wrong' | 'locked' }) {
  if (checked.kind === 'wrong') {
    return { __typename: 'InvalidCredentials' as const, message: 'Expected the address and the password of a user.' }
  }
  const { unlockAt } = checked
  const message = `Too many wrong passwords for this address: try again after ${unlockAt.toISOString()}.`
  return { __typename: 'AccountLocked' as const, message, unlockAt }
}

async function success(userId: string, { token, expiresAt, refreshToken }: Tokens, { load, signedInUserIds }: Context) {
  signedInUserIds.add(userId)
  const user = await load.userById.load(userId)
  if (!user) throw new Error('Expected the user of a session to exist.')
  return { __typename: 'LoginSuccess' as const, user, token, expiresAt, refreshToken }
}
