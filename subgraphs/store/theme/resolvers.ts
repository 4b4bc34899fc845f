import type { Resolvers } from '#generated/store/resolvers.ts'
import { ownValue } from '../../../platform/collections/lookup-table.ts'
import type { Context } from '../context.ts'
import { gone, identified, present, rowOf } from '../ids.ts'
import { applyTheme, customizeTheme, deleteTheme, previewTheme, revertTheme, uploadTheme } from './actions.ts'
import { effectiveValues, looksLike } from './theme.ts'

const themeWith = async (id: string, { load }: Context) => {
  const row = rowOf(id, 'Theme')
  return row === null ? null : load.themeById.load(row)
}

const published = async ({ load, storeId }: Context) => load.publicationOfStore.load(await storeId())

const changed = ({ theme }: { readonly theme: number }, _: unknown, { load }: Context) =>
  present(load.themeById.load(theme), 'theme')

export const themeResolvers = {
  Query: {
    theme: (_, { id }, context) => themeWith(id, context),
    themes: async (_, __, { storeId, themes }) => themes.all(await storeId()),
    publishedTheme: async (_, __, context) => {
      const seen = await published(context)
      const theme = seen && (await context.load.themeById.load(seen.themeId))
      return theme && { theme, customised: seen.customised, publishedAt: seen.publishedAt }
    },
    previewTheme: async (_, { id, settings }, context) => previewTheme(await themeWith(id, context), id, settings),
  },
  Mutation: {
    uploadTheme: (_, { input }, { write }) => write('uploadTheme', input, (unit) => uploadTheme(unit, input)),
    customizeTheme: (_, { id, input }, { write }) =>
      write('customizeTheme', { ...input, id }, (unit) => customizeTheme(unit, id, input)),
    applyTheme: (_, given, { write }) => write('applyTheme', given, (unit) => applyTheme(unit, given.id, given)),
    revertTheme: (_, given, { write }) => write('revertTheme', given, revertTheme),
    deleteTheme: (_, given, { write }) => write('deleteTheme', given, (unit) => deleteTheme(unit, given.id, given)),
  },
  Theme: {
    ...identified('Theme'),
    __resolveReference: ({ id }, context) => themeWith(id, context),
    settings: ({ settings, customised }) => {
      const values = effectiveValues(settings, customised)
      return settings.map((setting) => ({ ...setting, options: [...setting.options], value: ownValue(values, setting.key) }))
    },
    files: ({ id }, _, { load }) => load.filesOfTheme.load(id),
    isPublished: async ({ id }, _, context) => (await published(context))?.themeId === id,
    hasUnpublishedChanges: async (theme, _, context) => !looksLike(theme, await published(context)),
  },
  ThemeView: {
    settings: ({ theme, customised }) => effectiveValues(theme.settings, customised),
    files: ({ theme }, _, { load }) => load.filesOfTheme.load(theme.id),
  },
  UploadThemeSuccess: { theme: changed },
  CustomizeThemeSuccess: { theme: changed },
  ApplyThemeSuccess: { theme: changed },
  RevertThemeSuccess: { theme: changed },
  DeleteThemeSuccess: gone('Theme'),
} satisfies Resolvers
