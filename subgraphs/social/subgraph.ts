import type { Logger } from 'pino'
import { keyedMutex } from '../../platform/collections/keyed-mutex.ts'
import { once } from '../../platform/collections/once.ts'
import { type Connection, openDatabase, type ReplicaOptions } from '../../platform/database/database.ts'
import { eventFeed } from '../../platform/events/event-feed.ts'
import type { Subgraph } from '../../platform/graphql/subgraph.ts'
import { addressRateLimit } from '../../platform/rate-limit/address-rate-limit.ts'
import { localRateLimitStore, type RateLimitStore } from '../../platform/rate-limit/rate-limit-store.ts'
import { PLAIN_SECRETS, type SecretCipher } from '../../platform/secrets/cipher.ts'
import { subgraphSchema } from '../toolkit/subgraph-schema.ts'
import { commentRepository } from './comment/repository.ts'
import { contextOf, type SocialParts } from './context.ts'
import { itemCollectionRepository } from './item-collection/repository.ts'
import { messageRecipients } from './message/message-recipients.ts'
import { messageRepository } from './message/repository.ts'
import { postRepository } from './post/repository.ts'
import { postLikeRepository } from './post-like/repository.ts'
import { DEFAULT_WRITE_QUOTAS, type WriteQuotas } from './quota/quota.ts'
import { quotaRepository } from './quota/repository.ts'
import { resolvers } from './resolvers.ts'
import { lockRoom, roomRepository } from './room/repository.ts'
import { topicOf } from './room/room.ts'
import { invitationRecipients } from './room-invitation/invitation-recipients.ts'
import { roomInvitationRepository } from './room-invitation/repository.ts'
import { invitedUserIn } from './room-invitation/room-invitation.ts'
import { attemptRepository } from './session/attempt-repository.ts'
import { keyRepository } from './session/key-repository.ts'
import { keyRing } from './session/key-ring.ts'
import { sessionRepository } from './session/repository.ts'
import type { Tables } from './tables.ts'
import { userRepository } from './user/repository.ts'
import { signUpRecipients } from './user/sign-up-recipients.ts'
import { SIGN_UPS } from './user/user.ts'

/** The same for all subgraphs of a process: options are in contexts. */
const executableSchema = once(() => subgraphSchema('social', resolvers))

/**
 * As long as an operation may take. Mutations are not cancelled when their client leaves, so
 * nothing else ends one that waits for a lock.
 */
const STATEMENT_TIMEOUT_MS = 10_000

/** Users, posts, comments, collections, rooms and messages. Rejects when the database cannot be read. */
export async function socialSubgraph({
  connection,
  pooler,
  replica,
  relayUrl,
  log,
  now = () => new Date(),
  rateLimits: rateLimitStore = localRateLimitStore(now),
  secrets = PLAIN_SECRETS,
  quotas = DEFAULT_WRITE_QUOTAS,
}: {
  readonly connection: Connection
  /** A pooler in transaction mode, for everything but LISTEN; absent: none. */
  readonly pooler?: Connection | undefined
  /** Answers queries that may be a second old; absent: the database does. */
  readonly replica?: ReplicaOptions | undefined
  /** A Redis that relays events between copies; absent: each copy reads the database. */
  readonly relayUrl?: string | undefined
  readonly log: Logger
  /** The time by which tokens, locks and limits are judged. */
  readonly now?: () => Date
  /** Where limits of addresses are counted; absent: here. */
  readonly rateLimits?: RateLimitStore
  /** What stored secrets are encrypted with; absent: nothing, which is for development. */
  readonly secrets?: SecretCipher
  /** What each user may write. */
  readonly quotas?: WriteQuotas
}): Promise<Subgraph> {
  // Not the error itself: pg hangs the whole client on it.
  const onError = ({ message }: Error) => log.warn({ reason: message }, 'a connection to the database broke')
  const database = openDatabase<Tables>(connection, {
    schema: 'social',
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    replica,
    pooler,
    onError,
  })
  // Sessions must not lag.
  const sessions = sessionRepository(database.now)
  const inRoom = keyedMutex('changes of this room')
  // Remaining quotas must not lag.
  const quota = quotaRepository(database.now, quotas)
  const messages = messageRepository(database.query, inRoom, quota)
  const roomInvitations = roomInvitationRepository(database.query, inRoom, lockRoom)
  const parts: SocialParts = {
    users: userRepository(database.query),
    sessions,
    // Which networks are locked and known must not be a second old either.
    attempts: attemptRepository(database.now),
    posts: postRepository(database.query, quota),
    comments: commentRepository(database.query, quota),
    postLikes: postLikeRepository(database.query, quota),
    itemCollections: itemCollectionRepository(database.query, quota),
    rooms: roomRepository(database.query, inRoom, quota),
    roomInvitations,
    messages,
    quota,
    keys: keyRing(keyRepository(database.now, secrets)),
    events: await eventFeed({ connection, pooler, relayUrl, schema: 'social', log }),
    recipients: {
      room: messageRecipients(messages, sessions, now),
      signUps: signUpRecipients(sessions, now),
      invitations: invitationRecipients(roomInvitations, sessions, now),
    },
    signInMutex: keyedMutex('log-ins with this address'),
    limits: {
      signUps: addressRateLimit('sign-ups', 60, rateLimitStore),
      logIns: addressRateLimit('log-ins', 180, rateLimitStore),
      refreshes: addressRateLimit('refreshes', 180, rateLimitStore),
    },
    now,
  }

  return {
    name: 'social',
    schema: executableSchema(),
    context: (caller) => contextOf(parts, caller),
    ...database.replicaHooks,
    ready: () => parts.users.findByIds(['0']),
    onChange: (changed) => parts.events.notice((topic) => changed(topic === null ? null : changedTypes(topic))),
    listeners: parts.events.listeners,
    close: async () => {
      await parts.events.close()
      await database.close()
    },
  }
}

/** Types with a change by an event of this topic; null: unknown. */
const changedTypes = (topic: string): readonly string[] | null =>
  topic === SIGN_UPS
    ? ['User']
    : topic.startsWith(topicOf(''))
      ? ['Message', 'Room']
      : invitedUserIn(topic) !== null
        ? ['RoomInvitation']
        : null
