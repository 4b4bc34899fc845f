import type { KeyedMutex } from '../../platform/collections/keyed-mutex.ts'
import type { EventFeed } from '../../platform/events/outbox.ts'
import { unauthenticated } from '../../platform/graphql/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { AddressRateLimit } from '../../platform/rate-limit/address-rate-limit.ts'
import { commentLoaders } from './comment/loaders.ts'
import type { CommentRepository } from './comment/repository.ts'
import { messageLoaders } from './message/loaders.ts'
import type { MessageRepository } from './message/repository.ts'
import { postLoaders } from './post/loaders.ts'
import type { PostRepository } from './post/repository.ts'
import type { QuotaRepository } from './quota/repository.ts'
import { roomLoaders } from './room/loaders.ts'
import type { RoomRepository } from './room/repository.ts'
import type { RoomInvitationRepository } from './room-invitation/repository.ts'
import type { AttemptRepository } from './session/attempt-repository.ts'
import type { Audience } from './session/audience.ts'
import type { KeyRing } from './session/key-ring.ts'
import type { SessionRepository } from './session/repository.ts'
import { type Viewer, viewerOf } from './session/viewer.ts'
import { userLoaders } from './user/loaders.ts'
import type { UserRepository } from './user/repository.ts'

/** What lives as long as the subgraph. */
export type Parts = {
  readonly users: UserRepository
  readonly sessions: SessionRepository
  readonly attempts: AttemptRepository
  readonly posts: PostRepository
  readonly comments: CommentRepository
  readonly rooms: RoomRepository
  readonly roomInvitations: RoomInvitationRepository
  readonly messages: MessageRepository
  /** What users may still write. */
  readonly quota: QuotaRepository
  readonly keys: KeyRing
  readonly events: EventFeed
  /** Who is told of what as long as it may be. */
  readonly audiences: { readonly room: Audience; readonly signUps: Audience; readonly invitations: Audience }
  /** By address and network: log-ins whose password is being checked. */
  readonly oneLogInByOne: KeyedMutex
  /** What one client address may do how often. */
  readonly limits: { readonly signUps: AddressRateLimit; readonly logIns: AddressRateLimit; readonly refreshes: AddressRateLimit }
  readonly now: () => Date
}

/** What the resolvers of one operation, or of one event of a subscription, work with. */
export type Context = Parts & {
  readonly caller: Caller
  /** Who asks; null for an anonymous caller. Rejects with UNAUTHENTICATED for a token that is not valid now. Asked once, until `renew`. */
  readonly viewer: () => Promise<Viewer | null>
  /** Who asks; rejects with UNAUTHENTICATED for an anonymous caller as well. */
  readonly signedIn: () => Promise<Viewer>
  /** Row ids of users who signed up or in with this operation: they see what is theirs in its answer. */
  readonly introduced: Set<string>
  readonly load: Loaders
  /** Forgets what was read until now, and who asks: something has been written. */
  readonly renew: () => void
}

type Loaders = ReturnType<typeof loadersOf>

const loadersOf = ({ users, posts, comments, rooms, messages }: Parts) => ({
  ...userLoaders(users),
  ...postLoaders(posts),
  ...commentLoaders(comments),
  ...roomLoaders(rooms),
  ...messageLoaders(messages),
})

/** A context with loaders of its own: a cache must not outlive the caller whose permissions filled it. */
export function contextOf(parts: Parts, caller: Caller): Context {
  let asking: Promise<Viewer | null> | null = null
  const viewer = () => (asking ??= viewerOf(caller, parts))
  const context: Context & { load: Loaders } = {
    ...parts,
    caller,
    viewer,
    signedIn: async () => {
      const found = await viewer()
      if (!found) throw unauthenticated()
      return found
    },
    introduced: new Set(),
    load: loadersOf(parts),
    renew() {
      asking = null
      context.load = loadersOf(parts)
    },
  }
  return context
}
