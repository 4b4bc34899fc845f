import { CreateTaxDocument, GetTaxDocument, ListTaxesDocument } from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const taxRoutes = [
  route({ run: ListTaxesDocument, answer: 'taxes' }),
  route({ run: GetTaxDocument, answer: 'tax' }),
  route({ run: CreateTaxDocument, answer: 'result.tax' }),
]
