import type { Resolvers } from '#generated/store/resolvers.ts'
import { encodeId } from '../../toolkit/ids.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { demand } from '../access/guard.ts'
import type { Context } from '../context.ts'
import { present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { balanceOf, type LedgerEntry, type StoreBalance } from './ledger.ts'

const ENTRIES: KeysetList<LedgerEntry> = { name: 'ledgerEntries', parts: ['number'], positionOf: ({ id }) => [id] }

export const ledgerResolvers = {
  Query: {
    storeBalance: async (_, __, context) => balance(context, await context.storeId()),
    ledgerEntries: async (_, page, { storeId, ledger }) => {
      const range = keysetRange(ENTRIES, page, LIST_SIZES)
      const store = await storeId()
      return keysetPage(ENTRIES, range, await ledger.list(store, range), () => ledger.count(store))
    },
  },
  Store: {
    balance: async ({ id }, _, context) => {
      // As `Query.storeBalance` does.
      demand(await context.access(), ['read_transaction_ledgers'])
      return balance(context, id)
    },
  },
  LedgerEntry: {
    id: ({ id }) => encodeId('LedgerEntry', String(id)),
    number: ({ id }) => id,
    order: ({ orderId }, _, { load }) => (orderId === null ? null : load.orderById.load(orderId)),
  },
  LedgerEntryConnection: connectionFields,
} satisfies Resolvers

async function balance({ load }: Context, storeId: number): Promise<StoreBalance> {
  const { currency, country } = await present(load.storeById.load(storeId), 'store')
  const [own] = await load.languagesOfStore.load(storeId)
  const found = await load.balanceOfStore.load(storeId)
  return balanceOf(found?.balance ?? '0', currency, { language: own?.code ?? 'en', country })
}
