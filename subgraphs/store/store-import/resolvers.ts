import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { decodeId, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { appendToStoreImport, cancelStoreImport, createStoreImport, startStoreImport } from './actions.ts'
import type { StoredRowError } from './repository.ts'
import type { StoreImport } from './store-import.ts'

const IMPORTS: KeysetList<StoreImport> = { name: 'storeImports', parts: ['number'], positionOf: ({ id }) => [id] }
const ERRORS: KeysetList<StoredRowError> = { name: 'storeImportErrors', parts: ['number'], positionOf: ({ id }) => [id] }

export const storeImportResolvers = {
  Query: {
    storeImport: (_, { id }, { load }) => load.storeImportById.load(decodeId(id, 'StoreImport') ?? 0),
    storeImports: async (_, page, { storeId, storeImports }) => {
      const range = keysetRange(IMPORTS, page, LIST_SIZES)
      const store = await storeId()
      return keysetPage(IMPORTS, range, await storeImports.list(store, range), () => storeImports.count(store))
    },
  },
  Mutation: {
    createStoreImport: (_, { input }, { write }) => write('createStoreImport', input, (unit) => createStoreImport(unit, input)),
    appendToStoreImport: (_, { id, input }, { write }) =>
      write('appendToStoreImport', {}, (unit) => appendToStoreImport(unit, id, input)),
    startStoreImport: (_, { id }, { write }) => write('startStoreImport', {}, (unit) => startStoreImport(unit, id)),
    cancelStoreImport: (_, { id }, { write }) => write('cancelStoreImport', {}, (unit) => cancelStoreImport(unit, id)),
  },
  StoreImport: {
    ...identified('StoreImport'),
    errors: async ({ id }, page, { load }) => {
      const range = keysetRange(ERRORS, page, LIST_SIZES)
      const rows = await load.errorsOfStoreImport(range).load(id)
      return keysetPage(ERRORS, range, rows, async () => Number((await load.errorCountOfStoreImport.load(id))?.count ?? 0))
    },
  },
  StoreImportConnection: connectionFields,
  StoreImportErrorConnection: connectionFields,
  StoreImportSuccess: {
    storeImport: ({ storeImport }, _, { load }) => present(load.storeImportById.load(storeImport), 'import'),
  },
} satisfies Resolvers
