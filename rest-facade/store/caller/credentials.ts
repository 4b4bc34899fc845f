import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../../platform/http/caller.ts'
import { callerOf } from '../../../platform/http/request-caller.ts'
import { decodeFormComponent, rawParameters } from '../../http/parameters.ts'
import { queryOf } from '../../http/request-url.ts'

const HEADERS = ['authorization', 'x-login-key', 'x-auth-token'] as const

/**
 * Query parameters with credentials. No operation has parameters of these names, and no log
 * contains them.
 */
const PARAMETERS = new Set(['login', 'authtoken', 'auth_token'])

/**
 * The caller with its credentials. Those of the query, which old clients use, become HTTP Basic;
 * headers take precedence.
 */
export function storeCallerOf(request: FastifyRequest): Caller {
  const caller = callerOf(request, HEADERS)
  const query = queryOf(request)
  if (query === '' || Object.keys(caller.credentials).length > 0) return caller
  const given = rawParameters((name) => PARAMETERS.has(name), query)
  const text = (name: string): string | null => decodeFormComponent(given.get(name)?.[0] ?? '')
  const login = text('login') ?? ''
  const token = text('authtoken') || text('auth_token')
  if (!token) return caller
  const basic = Buffer.from(`${login}:${token}`, 'utf8').toString('base64')
  return { ...caller, credentials: { authorization: `Basic ${basic}` } }
}
