import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieOf } from './form.ts'
import type { Seal } from './seal.ts'

export type SealedCookieOptions = {
  readonly isSecureSite: boolean
  /** Whether a link of another site comes with them (`Lax`), or nothing of another site does. */
  readonly sameSite: 'Strict' | 'Lax'
  readonly now: () => number
}

/**
 * Cookies that hold sealed values: scripts cannot read them, and, where we are reached by https,
 * neither other hosts nor plain connections can see or set them. Each name has its own purpose, so
 * that one cannot stand for another.
 */
export function sealedCookies(seal: Seal, { isSecureSite, sameSite, now }: SealedCookieOptions) {
  /** A proxy that is believed may say so of a request where the settings do not. */
  const isSecure = ({ protocol }: FastifyRequest): boolean => isSecureSite || protocol === 'https'
  const nameFor = (request: FastifyRequest, name: string): string => (isSecure(request) ? `__Host-${name}` : name)

  function set(reply: FastifyReply, name: string, value: string, seconds: number): void {
    const { request } = reply
    const parts = [
      `${nameFor(request, name)}=${value}`,
      'Path=/',
      `Max-Age=${seconds}`,
      'HttpOnly',
      `SameSite=${sameSite}`,
      ...(isSecure(request) ? ['Secure'] : []),
    ]
    // Fastify keeps all of them when it is given one after the other.
    reply.header('set-cookie', parts.join('; '))
  }

  return {
    /** What the cookie holds; null: nothing, or nothing that we sealed. */
    open(request: FastifyRequest, name: string): unknown {
      const cookie = cookieOf(request, nameFor(request, name))
      return cookie === null ? null : seal.open(name, cookie, now())
    },

    /** Whether the cookie was sent, whatever it is worth by now. */
    wasSent: (request: FastifyRequest, name: string): boolean => (cookieOf(request, nameFor(request, name)) ?? '') !== '',

    /** Sets the cookie, to last that long. */
    close: (reply: FastifyReply, name: string, value: object, seconds: number): void =>
      set(reply, name, seal.close(name, value, now() + seconds * 1000), seconds),

    /** Takes the cookie back. */
    remove: (reply: FastifyReply, name: string): void => set(reply, name, '', 0),
  }
}
