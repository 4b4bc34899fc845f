import type { Resolvers } from '#generated/store/resolvers.ts'
import { unauthenticated } from '../../../platform/graphql/errors.ts'
import { present } from '../ids.ts'
import { claimStore } from './actions.ts'

export const userResolvers = {
  Mutation: {
    claimStore: async (_, { idempotencyKey }, { access, write, user }) => {
      const claimant = await user()
      // The role of a user in the store proves nothing: its authtoken does.
      if (claimant === null || (await access()).staff) throw unauthenticated()
      return write('claimStore', { idempotencyKey, user: claimant }, (unit) => claimStore(unit, claimant))
    },
  },
  Store: {
    owner: ({ ownerId }) => (ownerId === null ? null : { id: ownerId }),
  },
  User: {
    stores: async ({ id }, _, { user, load }) => ((await user()) === id ? load.storesOfOwner.load(id) : null),
  },
  ClaimStoreSuccess: { store: ({ store }, _, { load }) => present(load.storeById.load(store), 'store') },
} satisfies Resolvers
