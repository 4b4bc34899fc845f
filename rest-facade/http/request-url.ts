import type { FastifyRequest } from 'fastify'

/** The path of a request, undecoded. */
export const pathOf = ({ raw: { url = '' } }: FastifyRequest): string => url.split('?', 1)[0] ?? ''

/** The query of a request, undecoded and without the question mark; empty when there is none. */
export function queryOf({ raw: { url = '' } }: FastifyRequest): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}
