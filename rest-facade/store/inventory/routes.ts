import { ListProductsLocationsDocument, SetProductLocationStockDocument } from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const inventoryRoutes = [
  route({ run: ListProductsLocationsDocument, answer: 'inventoryLevels' }),
  route({ run: SetProductLocationStockDocument }),
]
