import type { Resolvers } from '#generated/social/resolvers.ts'
import { mergeResolvers } from '../toolkit/merge-resolvers.ts'
import { DateTime } from '../toolkit/scalars.ts'
import { commentResolvers } from './comment/resolvers.ts'
import { directoryItemResolvers } from './directory-item/resolvers.ts'
import { itemCollectionResolvers } from './item-collection/resolvers.ts'
import { messageResolvers } from './message/resolvers.ts'
import { withFreshContext } from './mutations.ts'
import { postResolvers } from './post/resolvers.ts'
import { postLikeResolvers } from './post-like/resolvers.ts'
import { quotaResolvers } from './quota/resolvers.ts'
import { roomResolvers } from './room/resolvers.ts'
import { roomInvitationResolvers } from './room-invitation/resolvers.ts'
import { sessionResolvers } from './session/resolvers.ts'
import { userResolvers } from './user/resolvers.ts'

const nouns: readonly Resolvers[] = [
  userResolvers,
  sessionResolvers,
  postResolvers,
  commentResolvers,
  postLikeResolvers,
  itemCollectionResolvers,
  roomResolvers,
  messageResolvers,
  directoryItemResolvers,
  quotaResolvers,
  roomInvitationResolvers,
]

const together = mergeResolvers(nouns)

/**
 * The resolvers of every noun. Several add fields to the same type: a user has a name, and posts.
 */
export const resolvers: Resolvers = Object.assign({ DateTime }, together, { Mutation: withFreshContext(together.Mutation ?? {}) })
