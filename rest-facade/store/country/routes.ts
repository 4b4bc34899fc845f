import {
  GetCountryDocument,
  GetRegionDocument,
  ListCountriesDocument,
  ListMunicipalitiesDocument,
  ListRegionsDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const countryRoutes = [
  route({ run: ListCountriesDocument, answer: 'countries' }),
  route({ run: GetCountryDocument, answer: 'country' }),
  route({ run: ListRegionsDocument, answer: 'country.regions' }),
  route({ run: GetRegionDocument, answer: 'country.region' }),
  route({ run: ListMunicipalitiesDocument, answer: 'country.region.municipalities' }),
]
