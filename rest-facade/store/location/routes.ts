import {
  CreateLocationDocument,
  DeleteLocationDocument,
  GetLocationDocument,
  ListLocationsDocument,
  UpdateLocationDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const locationRoutes = [
  route({ run: ListLocationsDocument, answer: 'locations' }),
  route({ run: GetLocationDocument, answer: 'location' }),
  route({ run: CreateLocationDocument, answer: 'result.location' }),
  route({ run: UpdateLocationDocument, answer: 'result.location' }),
  route({ run: DeleteLocationDocument }),
]
