import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../../platform/http/caller.ts'
import { callerOf } from '../../../platform/http/request-caller.ts'
import { decoded, givenIn } from '../../http/parameters.ts'

const HEADERS = ['authorization', 'x-login-key', 'x-auth-token'] as const

/** Names of credentials in the query. They are not parameters of any operation, and no log has them. */
const NAMES = new Set(['login', 'authtoken', 'auth_token'])

/** Who asks. Credentials of the query, which old clients use, go on as HTTP Basic; those in headers count more. */
export function callerIn(request: FastifyRequest, query: string): Caller {
  const caller = callerOf(request, HEADERS)
  if (query === '' || Object.keys(caller.credentials).length > 0) return caller
  const given = givenIn((name) => NAMES.has(name), query)
  const text = (name: string): string | null => decoded(given.get(name)?.[0] ?? '')
  const login = text('login') ?? ''
  const token = text('authtoken') || text('auth_token')
  if (!token) return caller
  const basic = Buffer.from(`${login}:${token}`, 'utf8').toString('base64')
  return { ...caller, credentials: { authorization: `Basic ${basic}` } }
}
