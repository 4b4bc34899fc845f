import type { Resolvers } from '#generated/store/resolvers.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { createApp, deleteApp, resetAppSecret, updateApp } from './actions.ts'

export const appResolvers = {
  Query: {
    app: async (_, { id }, { storeId, load }) => {
      const row = decodeId(id, 'App')
      const found = row === null ? null : await load.appById.load(row)
      return found?.storeId === (await storeId()) ? found : null
    },
    apps: async (_, __, { storeId, apps }) => apps.list(await storeId()),
  },
  Mutation: {
    createApp: async (_, { input }, { write }) => {
      let clientSecret: string | null = null
      const result = await write('createApp', input, (unit) =>
        createApp(unit, input, (text) => {
          clientSecret = text
        }),
      )
      return { ...result, clientSecret }
    },
    updateApp: (_, { id, input }, { write }) => write('updateApp', { ...input, id }, (unit) => updateApp(unit, id, input)),
    resetAppSecret: async (_, given, { write }) => {
      let clientSecret: string | null = null
      const written = await write('resetAppSecret', given, (unit) =>
        resetAppSecret(unit, given.id, (text) => {
          clientSecret = text
        }),
      )
      return { ...written, clientSecret }
    },
    deleteApp: (_, given, { write }) => write('deleteApp', given, (unit) => deleteApp(unit, given.id, given)),
  },
  App: {
    ...identified('App'),
    isPrivate: ({ storeId }) => storeId !== null,
  },
  CreateAppSuccess: { app: ({ app }, _, { load }) => present(load.appById.load(app), 'app') },
  UpdateAppSuccess: { app: ({ app }, _, { load }) => present(load.appById.load(app), 'app') },
  ResetAppSecretSuccess: { app: ({ app }, _, { load }) => present(load.appById.load(app), 'app') },
  DeleteAppSuccess: gone('App'),
} satisfies Resolvers
