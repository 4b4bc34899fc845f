import type { Resolvers } from '#generated/store/resolvers.ts'
import { encodeCursor } from '../../toolkit/cursor.ts'
import { type KeysetList, keysetRange } from '../../toolkit/keyset.ts'
import { LIST_SIZES } from '../lists.ts'

const LIST: KeysetList<{ readonly id: number }> = { name: 'storeExport', parts: ['number'], positionOf: ({ id }) => [id] }

export const storeExportResolvers = {
  Query: {
    storeExport: async (_, { kind, format, first, after }, { database, storeId, files }) => {
      const range = keysetRange(LIST, { first, after }, LIST_SIZES)
      // Loaded with the first export: most processes never write one.
      const { exportPage } = await import('./export.ts')
      const source = { query: database, storeId: await storeId(), publicUrl: files.publicUrl }
      const page = await exportPage(source, { kind, format, after: Number(range.after?.[0] ?? 0), size: range.size })
      const { text, lastId, hasNextPage } = page
      return { text, hasNextPage, endCursor: lastId === null ? null : encodeCursor(LIST.name, [lastId]) }
    },
  },
} satisfies Resolvers
