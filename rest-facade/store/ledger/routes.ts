import { GetStoreBalanceDocument } from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const ledgerRoutes = [route({ run: GetStoreBalanceDocument, answer: 'storeBalance' })]
