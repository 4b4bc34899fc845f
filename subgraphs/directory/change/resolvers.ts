import type { Resolvers } from '#generated/directory/resolvers.ts'
import { checkPageSize } from '../../toolkit/connection.ts'
import { idOf } from '../item/id.ts'
import { createToken, foreignTokenError, parseToken, type SeenRevision } from './token.ts'

/** Largest page: a mirror of 20,000 items needs 40 of them. */
const MAX_CHANGES = 500

export const changeResolvers = {
  Query: {
    changes: async (_, { since, first }, { catalogue, items }) => {
      const size = checkPageSize('first', first ?? 100, MAX_CHANGES)
      const { dataset, number, mark } = catalogue.revision
      const { seen, ...place } = parseToken(since, dataset)
      const isCurrent = seen === null || (seen.number === number && mark.startsWith(seen.mark))
      if (!isCurrent && !(await items.hadRevision(seen))) throw foreignTokenError(since)
      // One more than requested shows whether there are more. Rows that the catalogue has not
      // loaded yet would look removed.
      const rows = await items.changesBehind(place, number, size + 1)
      const page = rows.slice(0, size)
      return {
        nodes: page.map(({ kind, id, key, changedAt }) => ({
          kind,
          id: idOf({ kind, id }),
          key,
          changedAt,
          item: catalogue.byId(kind, id),
        })),
        token: createToken({ dataset, ...newer({ number, mark }, seen) }, page.at(-1) ?? place),
        hasMore: rows.length > size,
      }
    },
  },
} satisfies Resolvers

/** The later of two revisions: a process that lags behind must not forget what a token has seen. */
const newer = (own: SeenRevision, seen: SeenRevision | null): SeenRevision =>
  seen !== null && BigInt(seen.number) > BigInt(own.number) ? seen : own
