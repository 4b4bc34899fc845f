import { randomBytes } from 'node:crypto'
import type { SessionKey } from '../signed-link/signature.ts'
import type { ChannelKeys } from './channel.ts'

/**
 * The gateway asks for the protocol at this path, followed by its nonce, in a signed HTTP request:
 * both are covered by the signature. The subgraph answers 101 with a nonce of its own.
 */
export const LINK_PATH = '/link/'
/** Name of the protocol and its version, in the header `Upgrade`. */
export const PROTOCOL = 'atrium-link-1'
/** Response header with the nonce of the subgraph. */
export const NONCE_HEADER = 'x-atrium-nonce'

/** When the system first asks whether the other machine is still there, on an idle connection. */
export const KEEP_ALIVE_MS = 15_000

/** 256 random bits. */
export const newNonce = (): string => randomBytes(32).toString('base64url')

/** Whether the other end has sent a nonce. */
export const isNonce = (text: unknown): text is string => typeof text === 'string' && /^[\w-]{43}$/.test(text)

/**
 * Keys of a connection for the gateway; the subgraph has them the other way round. Both nonces are
 * in them, so whoever replays one end's part of a handshake does not know the keys.
 */
export function keysOf(sessionKey: SessionKey, gateway: string, subgraph: string): ChannelKeys {
  const key = (sender: string) => sessionKey(`${PROTOCOL} ${sender} ${gateway} ${subgraph}`)
  return { seal: key('gateway'), open: key('subgraph') }
}
