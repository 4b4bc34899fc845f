import type { Resolvers } from '#generated/directory/resolvers.ts'
import { checkPageSize } from '../../toolkit/connection.ts'
import { idOf } from '../item/id.ts'
import { createToken, parseToken, START } from './token.ts'

/** Largest page: a mirror of 20,000 items needs 40 of them. */
const MAX_CHANGES = 500

export const changeResolvers = {
  Query: {
    changes: async (_, { since, first }, { catalogue, items }) => {
      const size = checkPageSize('first', first ?? 100, MAX_CHANGES)
      const { dataset, number } = catalogue.revision
      const place = since == null ? START : parseToken(since, dataset)
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
        token: createToken(dataset, page.at(-1) ?? place),
        hasMore: rows.length > size,
      }
    },
  },
} satisfies Resolvers
