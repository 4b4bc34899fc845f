import { randomBytes } from 'node:crypto'
import type { Caller } from '../../../platform/http/caller.ts'
import type { AccessJudge } from './access.ts'
import type { Access } from './grant.ts'
import { SCOPES } from './scopes.ts'

/** Lets parts of this process read a store through the graph; not available from outside. */
export type InternalCallers = {
  /** A judge that accepts these callers, and passes all others to the next judge. */
  readonly judge: AccessJudge
  /** A caller that may read everything of a store, until `work` ends. */
  readonly reading: <Result>(
    store: Pick<Access, 'storeId' | 'storeCode'>,
    requestId: string,
    work: (caller: Caller) => Promise<Result>,
  ) => Promise<Result>
}

const READING = SCOPES.filter((scope) => scope.startsWith('read_'))

/** Their credentials are random and good in this process only, for one piece of work. */
export function internalCallers(judge: AccessJudge): InternalCallers {
  const inside = new Map<string, Access>()

  return {
    async judge(caller) {
      const access = inside.get(caller.credentials.authorization ?? '')
      return access ?? judge(caller)
    },
    async reading(store, requestId, work) {
      const authorization = `Bearer ${randomBytes(32).toString('base64url')}`
      inside.set(authorization, { ...store, scopes: READING, app: null, staff: null })
      try {
        return await work({ requestId, address: '127.0.0.1', credentials: { authorization } })
      } finally {
        inside.delete(authorization)
      }
    },
  }
}
