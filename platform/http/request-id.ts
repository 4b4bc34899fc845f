import { randomUUID } from 'node:crypto'

/** What a request id of a client may look like; anything else is replaced. */
const REQUEST_ID = /^[\w.:-]{1,128}$/

/** The id of a request: the client's own when it is sane. */
export function requestIdOf({ headers }: { readonly headers: Readonly<Record<string, string | string[] | undefined>> }): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}
