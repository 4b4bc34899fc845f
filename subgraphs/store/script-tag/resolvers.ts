import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { visibleApp } from '../app/visible-app.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { createScriptTag, deleteScriptTag, updateScriptTag } from './actions.ts'
import type { ScriptTag } from './script-tag.ts'

const ALL: KeysetList<ScriptTag> = { name: 'scriptTags', parts: ['number'], positionOf: ({ id }) => [id] }

export const scriptTagResolvers = {
  Query: {
    scriptTag: async (_, { id }, { access, load }) => {
      const row = decodeId(id, 'ScriptTag')
      const found = row === null ? null : await load.scriptTagById.load(row)
      const { app } = await access()
      return found && (app === null || app.id === found.appId) ? found : null
    },
    scriptTags: async (_, { appCode, ...page }, { access, apps, scriptTags }) => {
      const range = keysetRange(ALL, page, LIST_SIZES)
      const asker = await access()
      const appId = appCode == null ? (asker.app?.id ?? null) : (await visibleApp(apps, asker, appCode)).id
      const { storeId } = asker
      return keysetPage(ALL, range, await scriptTags.list(storeId, appId, range), () => scriptTags.count(storeId, appId))
    },
  },
  Mutation: {
    createScriptTag: async (_, { input }, { access, write }) => {
      const { app } = await access()
      return write('createScriptTag', input, (unit) => createScriptTag(unit, app, input))
    },
    updateScriptTag: async (_, { id, input }, { access, write }) => {
      const { app } = await access()
      return write('updateScriptTag', { ...input, id }, (unit) => updateScriptTag(unit, app, id, input))
    },
    deleteScriptTag: async (_, given, { access, write }) => {
      const { app } = await access()
      return write('deleteScriptTag', given, (unit) => deleteScriptTag(unit, app, given.id, given))
    },
  },
  ScriptTag: {
    ...identified('ScriptTag'),
    app: ({ appId }, _, { load }) => present(load.appById.load(appId), 'app'),
  },
  ScriptTagConnection: connectionFields,
  CreateScriptTagSuccess: { scriptTag: ({ scriptTag }, _, { load }) => present(load.scriptTagById.load(scriptTag), 'script') },
  UpdateScriptTagSuccess: { scriptTag: ({ scriptTag }, _, { load }) => present(load.scriptTagById.load(scriptTag), 'script') },
  DeleteScriptTagSuccess: gone('ScriptTag'),
} satisfies Resolvers
