import type { Resolvers } from '#generated/social/resolvers.ts'
import { DateTime } from '../runtime/scalars.ts'
import { commentResolvers } from './comment/resolvers.ts'
import { directoryItemResolvers } from './directory-item/resolvers.ts'
import { messageResolvers } from './message/resolvers.ts'
import { postResolvers } from './post/resolvers.ts'
import { roomResolvers } from './room/resolvers.ts'
import { sessionResolvers } from './session/resolvers.ts'
import { userResolvers } from './user/resolvers.ts'

const nouns: readonly Resolvers[] = [
  userResolvers,
  sessionResolvers,
  postResolvers,
  commentResolvers,
  roomResolvers,
  messageResolvers,
  directoryItemResolvers,
]

/** The resolvers of every noun, side by side. */
export const resolvers: Resolvers = {
  DateTime,
  ...Object.assign({}, ...nouns),
  Query: Object.assign({}, ...nouns.map(({ Query }) => Query)),
  Mutation: Object.assign({}, ...nouns.map(({ Mutation }) => Mutation)),
  Subscription: Object.assign({}, ...nouns.map(({ Subscription }) => Subscription)),
}
