import type { Resolvers } from '#generated/store/resolvers.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { createLocation, deleteLocation, MAX_LOCATIONS, updateLocation } from './actions.ts'
import { regionFormatOf } from './region-format.ts'

export const locationResolvers = {
  Query: {
    location: (_, { id }, { load }) => {
      const row = decodeId(id, 'Location')
      return row === null ? null : load.locationById.load(row)
    },
    locations: async (_, __, { storeId, locations }) => locations.list(await storeId(), MAX_LOCATIONS),
  },
  Mutation: {
    createLocation: (_, { input }, { write }) => write('createLocation', input, (unit) => createLocation(unit, input)),
    updateLocation: (_, { id, input }, { write }) =>
      write('updateLocation', { ...input, id }, (unit) => updateLocation(unit, id, input)),
    deleteLocation: (_, given, { write }) => write('deleteLocation', given, (unit) => deleteLocation(unit, given.id, given)),
  },
  Location: {
    ...identified('Location'),
    address: ({ id, main, address }) => ({ ...address, number: id, isDefault: main }),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'Location')
      return row === null ? null : load.locationById.load(row)
    },
  },
  LocationAddress: {
    regionFormat: ({ country, region }) => (region == null ? null : regionFormatOf(country, region)),
  },
  CreateLocationSuccess: { location: ({ location }, _, { load }) => present(load.locationById.load(location), 'location') },
  UpdateLocationSuccess: { location: ({ location }, _, { load }) => present(load.locationById.load(location), 'location') },
  DeleteLocationSuccess: gone('Location'),
} satisfies Resolvers
