import type { KeyedMutex } from '../../platform/collections/keyed-mutex.ts'
import type { EventFeed } from '../../platform/events/outbox.ts'
import { unauthenticated } from '../../platform/graphql/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { AddressRateLimit } from '../../platform/rate-limit/address-rate-limit.ts'
import { commentLoaders } from './comment/loaders.ts'
import type { CommentRepository } from './comment/repository.ts'
import { itemCollectionLoaders } from './item-collection/loaders.ts'
import type { ItemCollectionRepository } from './item-collection/repository.ts'
import { messageLoaders } from './message/loaders.ts'
import type { MessageRepository } from './message/repository.ts'
import { postLoaders } from './post/loaders.ts'
import type { PostRepository } from './post/repository.ts'
import { postLikeLoaders } from './post-like/loaders.ts'
import type { PostLikeRepository } from './post-like/repository.ts'
import type { QuotaRepository } from './quota/repository.ts'
import { roomLoaders } from './room/loaders.ts'
import type { RoomRepository } from './room/repository.ts'
import type { RoomInvitationRepository } from './room-invitation/repository.ts'
import type { AttemptRepository } from './session/attempt-repository.ts'
import type { KeyRing } from './session/key-ring.ts'
import type { RecipientFilter } from './session/recipient-filter.ts'
import type { SessionRepository } from './session/repository.ts'
import { type Viewer, viewerOf } from './session/viewer.ts'
import { userLoaders } from './user/loaders.ts'
import type { UserRepository } from './user/repository.ts'

/** What lives as long as the subgraph. */
export type SocialParts = {
  readonly users: UserRepository
  readonly sessions: SessionRepository
  readonly attempts: AttemptRepository
  readonly posts: PostRepository
  readonly comments: CommentRepository
  readonly postLikes: PostLikeRepository
  readonly itemCollections: ItemCollectionRepository
  readonly rooms: RoomRepository
  readonly roomInvitations: RoomInvitationRepository
  readonly messages: MessageRepository
  /** What users may still write. */
  readonly quota: QuotaRepository
  readonly keys: KeyRing
  readonly events: EventFeed
  /** Filters of subscription events by the permissions of the recipient. */
  readonly recipients: {
    readonly room: RecipientFilter
    readonly signUps: RecipientFilter
    readonly invitations: RecipientFilter
  }
  /** Serialises sign-ins by email address and network. */
  readonly signInMutex: KeyedMutex
  /** What one client address may do how often. */
  readonly limits: { readonly signUps: AddressRateLimit; readonly logIns: AddressRateLimit; readonly refreshes: AddressRateLimit }
  readonly now: () => Date
}

/** What the resolvers of one operation, or of one event of a subscription, work with. */
export type Context = SocialParts & {
  readonly caller: Caller
  /**
   * The viewer; null when anonymous. Rejects with UNAUTHENTICATED for an invalid token. Cached
   * until `renew`.
   */
  readonly viewer: () => Promise<Viewer | null>
  /** The viewer; rejects with UNAUTHENTICATED for an anonymous caller too. */
  readonly requireViewer: () => Promise<Viewer>
  /**
   * Row ids of users who signed up or in within this operation: its answer shows their private
   * fields.
   */
  readonly signedInUserIds: Set<string>
  readonly load: Loaders
  /** Clears loaders and the viewer after a write. */
  readonly renew: () => void
}

type Loaders = ReturnType<typeof loadersOf>

const loadersOf = ({ users, posts, comments, postLikes, itemCollections, rooms, messages }: SocialParts) => ({
  ...userLoaders(users),
  ...postLoaders(posts),
  ...commentLoaders(comments),
  ...postLikeLoaders(postLikes),
  ...itemCollectionLoaders(itemCollections),
  ...roomLoaders(rooms),
  ...messageLoaders(messages),
})

/**
 * A context with loaders of its own: a cache must not outlive the caller whose permissions filled
 * it.
 */
export function contextOf(parts: SocialParts, caller: Caller): Context {
  let pendingViewer: Promise<Viewer | null> | null = null
  const viewer = () => (pendingViewer ??= viewerOf(caller, parts))
  const context: Context & { load: Loaders } = {
    ...parts,
    caller,
    viewer,
    requireViewer: async () => {
      const found = await viewer()
      if (!found) throw unauthenticated()
      return found
    },
    signedInUserIds: new Set(),
    load: loadersOf(parts),
    renew() {
      pendingViewer = null
      context.load = loadersOf(parts)
    },
  }
  return context
}
