import type { Resolvers } from '#generated/social/resolvers.ts'
import type { OutboxEvent } from '../../../platform/events/outbox.ts'
import { badInput, forbidden, notFound } from '../../../platform/graphql/errors.ts'
import { checkPageSize } from '../../toolkit/connection.ts'
import { decodeId, encodeId } from '../../toolkit/ids.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { isText, notFoundError, validationError } from '../../toolkit/validation.ts'
import type { Context } from '../context.ts'
import { checkPassword } from '../session/sign-in.ts'
import {
  changeProblems,
  emailTaken,
  lastAdministrator,
  passwordLocked,
  passwordNeeded,
  passwordWrong,
  signUp,
} from './sign-up.ts'
import { emailKey, nameKey, SIGN_UPS, type User } from './user.ts'

const MAX_OFFSET = 100_000
const MAX_QUERY_CHARACTERS = 100

const FOUND: KeysetList<User> = {
  name: 'searchUsers',
  parts: ['text', 'row'],
  positionOf: ({ name, id }) => [nameKey(name), id],
}

export const userResolvers = {
  Query: {
    me: async (_, __, { viewer }) => (await viewer())?.user ?? null,
    user: (_, { id }, context) => userWith(id, context),
    userByEmail: async (_, { email }, { requireViewer, users }) => {
      const { user } = await requireViewer()
      const found = isText(email) ? await users.findByEmail(email) : null
      return found && (found.id === user.id || user.role === 'ADMIN') ? found : null
    },
    users: (_, { limit, offset }, { users }) => {
      const size = checkPageSize('limit', limit ?? 10, 100)
      const skipped = offset ?? 0
      if (skipped < 0 || skipped > MAX_OFFSET) throw badInput('offset', `0 to ${MAX_OFFSET}`, skipped)
      return users.list({ limit: size, offset: skipped })
    },
    searchUsers: async (_, { query, ...page }, { viewer, users }) => {
      if (query.trim() === '' || query.length > MAX_QUERY_CHARACTERS || !isText(query)) {
        throw badInput('query', `1 to ${MAX_QUERY_CHARACTERS} characters of text that are not all white space`, query)
      }
      const range = keysetRange(FOUND, page)
      const search = { text: query.trim(), inAddresses: (await viewer())?.user.role === 'ADMIN' }
      return keysetPage(FOUND, range, await users.search(search, range), () => users.count(search))
    },
  },
  Mutation: {
    createUser: async (_, { input }, { viewer, users, limits, caller, signedInUserIds }) => {
      await limits.signUps(caller.address)
      const mayGiveRoles = input.role != null && input.role !== 'USER' && (await viewer())?.user.role === 'ADMIN'
      const made = await signUp(input, { users, mayGiveRoles })
      if ('problems' in made) return { user: null, errors: made.problems }
      signedInUserIds.add(made.user.id)
      return { user: made.user, errors: [] }
    },
    updateUser: async (_, { id, input }, context) => {
      const { user: viewer } = await context.requireViewer()
      const user = await changeable(id, context)
      if (!user) return notFoundError('user', id)
      const { email, name, role, phoneNumber } = input
      if (role != null && role !== user.role && viewer.role !== 'ADMIN') {
        throw forbidden('Only administrators change roles.')
      }
      const problems = changeProblems(input)
      if (problems.length > 0) return validationError(problems)
      const refusal = email == null ? null : await refuseAddress(email, user, input.currentPassword ?? null, context)
      if (refusal) return refusal
      const updated = await context.users.update(user.id, {
        ...(email != null && { email }),
        ...(name != null && { name: name.trim() }),
        ...(role != null && { role }),
        ...(phoneNumber !== undefined && { phoneNumber }),
      })
      if (updated === undefined) return notFoundError('user', id)
      if (updated === 'taken') return validationError([emailTaken(String(email))])
      if (updated === 'last administrator') return validationError([lastAdministrator('role')])
      return { __typename: 'UpdateUserSuccess', user: updated }
    },
    deleteUser: async (_, { id }, context) => {
      await context.requireViewer()
      const user = await changeable(id, context)
      const deleted = user && (await context.users.delete(user.id))
      if (!deleted) return notFoundError('user', id)
      if (deleted === 'last administrator') return validationError([lastAdministrator('id')])
      return { __typename: 'DeleteUserSuccess', id }
    },
  },
  Subscription: {
    userCreated: {
      subscribe: async (_, __, { viewer, events, recipients }) => {
        const sessionId = (await viewer())?.sessionId ?? null
        const signUps = await events.listen(SIGN_UPS, sessionId)
        return sessionId === null ? signUps : recipients.signUps(signUps, sessionId)
      },
      resolve: ({ payload: { id } }: OutboxEvent, _: unknown, context: Context) =>
        userWith(encodeId('User', String(id)), context),
    },
  },
  User: {
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'User')
      return row === null ? null : load.userById.load(row)
    },
    id: ({ id }) => encodeId('User', id),
    email: async ({ id, email }, _, context) => {
      if (!(await isSelf(id, context)) && (await context.viewer())?.user.role !== 'ADMIN') {
        throw forbidden('Only the user and administrators see an e-mail address.')
      }
      return email
    },
    phoneNumber: async ({ id, phoneNumber }, _, context) => ((await isSelf(id, context)) ? phoneNumber : null),
    isLastAdministrator: async ({ id, role }, _, context) =>
      (await isSelf(id, context)) ? role === 'ADMIN' && context.users.isLastAdministrator(id) : null,
  },
  UserConnection: connectionFields,
} satisfies Resolvers

const isSelf = async (id: string, { signedInUserIds, viewer }: Context): Promise<boolean> =>
  signedInUserIds.has(id) || (await viewer())?.user.id === id

/** The user with this opaque id. Throws NOT_FOUND when there is none. */
async function userWith(id: string, { load }: Context): Promise<User> {
  const row = decodeId(id, 'User')
  const user = row === null ? null : await load.userById.load(row)
  if (!user) throw notFound('user', id)
  return user
}

/**
 * Why the address of a user must not change to this one now; null when it may. Every answer that
 * reveals whether an address is in use comes after the rate limit and the caller's own password,
 * which a thief of a token lacks.
 */
async function refuseAddress(email: string, changed: User, currentPassword: string | null, context: Context) {
  if (emailKey(email) === emailKey(changed.email)) return null
  await context.limits.signUps(context.caller.address)
  const { user: viewer } = await context.requireViewer()
  if (currentPassword === null) return validationError([passwordNeeded])
  const checked = await checkPassword(viewer.email, currentPassword, context)
  if (checked.kind === 'right') return null
  return validationError([checked.kind === 'locked' ? passwordLocked(checked.unlockAt) : passwordWrong])
}

/**
 * The user with this opaque id, for that user and administrators; null when there is none. Throws
 * FORBIDDEN for others.
 */
async function changeable(id: string, { requireViewer, load }: Context): Promise<User | null> {
  const { user: viewer } = await requireViewer()
  const row = decodeId(id, 'User')
  const user = row === null ? null : await load.userById.load(row)
  if (user && user.id !== viewer.id && viewer.role !== 'ADMIN') {
    throw forbidden('Only the user and administrators may change or delete an account.')
  }
  return user
}
