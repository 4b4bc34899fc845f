import type { Resolvers } from '#generated/store/resolvers.ts'
import { type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { identified } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { type AuditEntry, auditedFieldsOf, auditFilterOf } from './audit-entry.ts'

const LIST: KeysetList<AuditEntry> = {
  name: 'auditEntries',
  parts: ['time', 'number'],
  positionOf: ({ at, id }) => [at.toISOString(), id],
}

export const auditEntryResolvers = {
  Query: {
    auditEntries: async (_, { filter, ...page }, { storeId, auditEntries }) => {
      const range = keysetRange(LIST, page, LIST_SIZES)
      const rows = await auditEntries.list(await storeId(), auditFilterOf(filter ?? {}), range)
      // Nothing reads its size: a log is too long to be counted.
      return keysetPage(LIST, range, rows, async () => rows.length)
    },
  },
  AuditEntry: {
    ...identified('AuditEntry'),
    user: ({ userId }) => (userId === null ? null : { id: userId }),
    fields: (entry) => [...auditedFieldsOf(entry)],
  },
} satisfies Resolvers
