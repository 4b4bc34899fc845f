import type { Resolvers } from '#generated/store/resolvers.ts'
import { secretLocation } from '../../../platform/secrets/stored.ts'
import { SCOPES } from '../access/scopes.ts'
import { languageName } from '../country/country.ts'
import { identified, present } from '../ids.ts'
import { HOOKS_TOKEN } from '../stored-secrets.ts'
import { createStore, resetAuthtoken, updateStore } from './actions.ts'

export const storeResolvers = {
  Query: {
    store: async (_, __, { storeId, load }) => present(load.storeById.load(await storeId()), 'store'),
    storeAccess: async (_, __, { access }) => {
      const { storeCode, scopes, app, staff } = await access()
      const granted = scopes === 'all' ? SCOPES : scopes.toSorted()
      return { storeCode, scopes: granted, appCode: app?.code ?? null, role: staff?.role ?? null }
    },
    callerGrants: async (_, __, { grants }) => {
      const { isAuthenticated, storeCode, scopes, policies } = await grants()
      return { isAuthenticated, storeCode, scopes: [...scopes].sort(), policies: [...policies] }
    },
  },
  Mutation: {
    updateStore: (_, { input }, { write }) => write('updateStore', input, (unit) => updateStore(unit, input)),
    createStore: async (_, { input }, { access, write }) => {
      let authtoken: string | null = null
      const { staff } = await access()
      const owner = staff?.role === 'OWNER' ? staff.userId : null
      const delivered = (text: string) => {
        authtoken = text
      }
      const result = await write('createStore', input, (unit) => createStore(unit, input, { owner, delivered }))
      return { ...result, authtoken }
    },
    resetAuthtoken: async (_, given, { write }) => {
      let authtoken: string | null = null
      const written = await write('resetAuthtoken', given, (unit) =>
        resetAuthtoken(unit, (text) => {
          authtoken = text
        }),
      )
      return { ...written, authtoken }
    },
  },
  Store: {
    ...identified('Store'),
    hooksToken: ({ id, hooksToken }, _, { secrets }) => secrets.decrypt(secretLocation(HOOKS_TOKEN, id), hooksToken),
    url: ({ code }, _, { publicUrl }) => `${publicUrl}/shops/${code}`,
    languages: async ({ id }, _, { load }) =>
      (await load.languagesOfStore.load(id)).map(({ code }) => ({ code, name: languageName(code) ?? code })),
  },
  UpdateStoreSuccess: { store: ({ store }, _, { load }) => present(load.storeById.load(store), 'store') },
  CreateStoreSuccess: {
    store: ({ store }, _, { load }) => present(load.storeById.load(store), 'store'),
    adminUrl: (_, __, { publicUrl }) => `${publicUrl}/console`,
  },
} satisfies Resolvers
