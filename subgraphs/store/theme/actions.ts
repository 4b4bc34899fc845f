import { notFoundError, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import { type ThemeRepository, themeRepository } from './repository.ts'
import { customised, looksLike, MAX_THEMES, type Theme, type ThemeView, themeProblems } from './theme.ts'
import { settingsOf, type Upload, uploadProblems } from './upload.ts'

type Versioned = { readonly expectedVersion?: number | null | undefined }

/** Keeps a theme that was uploaded. */
export async function uploadTheme({ query, storeId, now }: UnitOfWork, input: Upload) {
  const problems = uploadProblems(input)
  if (problems.length > 0) return validationError(problems)
  const themes = themeRepository(query)
  await themes.lock(storeId)
  if ((await themes.count(storeId)) >= MAX_THEMES) {
    return validationError([
      { field: 'name', message: `Expected a store to have at most ${MAX_THEMES} themes: delete one that customers do not see.` },
    ])
  }
  const { name, label, files } = input
  const theme = await themes.insert(storeId, { name, label: label ?? null, settings: settingsOf(input), files }, now)
  return { __typename: 'UploadThemeSuccess' as const, theme }
}

/** Changes what the input has of the theme; customers see it once it is applied. */
export async function customizeTheme(
  { query, storeId, now }: UnitOfWork,
  id: string,
  input: Versioned & {
    readonly name?: string | null | undefined
    readonly label?: string | null | undefined
    readonly settings?: unknown
  },
) {
  const problems = themeProblems(input)
  if (problems.length > 0) return validationError(problems)
  const themes = themeRepository(query)
  const before = await themeOf({ themes, storeId }, id, input.expectedVersion)
  if ('__typename' in before) return before
  const { problems: wrong, values } = customised(before, input.settings)
  if (wrong.length > 0) return validationError(wrong)
  const label = input.label === undefined ? before.label : input.label
  await themes.update(storeId, { ...before, name: input.name ?? before.name, label, customised: values }, now)
  return { __typename: 'CustomizeThemeSuccess' as const, theme: before.id }
}

/** Shows customers the theme with its settings of now; nothing happens when they see just that. */
export async function applyTheme({ query, storeId, now }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const themes = themeRepository(query)
  const theme = await themeOf({ themes, storeId }, id, expectedVersion)
  if ('__typename' in theme) return theme
  const [seen = null] = await themes.publications(storeId, 1)
  if (!looksLike(theme, seen)) await themes.publish(storeId, theme, now)
  return { __typename: 'ApplyThemeSuccess' as const, theme: theme.id }
}

/** Publishes the previous theme again, with its settings at that time. */
export async function revertTheme({ query, storeId, now }: UnitOfWork) {
  const themes = themeRepository(query)
  await themes.lock(storeId)
  const [seen, before] = await themes.publications(storeId, 2)
  if (!seen || !before) {
    return validationError([
      { field: 'theme', message: 'Expected a theme that was published before the current one; there is none.' },
    ])
  }
  await themes.takeBack(storeId, seen)
  const [theme] = await themes.findByIds(storeId, [before.themeId])
  if (theme && !looksLike(theme, before)) await themes.update(storeId, { ...theme, customised: before.customised }, now)
  return { __typename: 'RevertThemeSuccess' as const, theme: before.themeId }
}

/** Deletes a theme that customers do not see. */
export async function deleteTheme({ query, storeId }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const themes = themeRepository(query)
  const theme = await themeOf({ themes, storeId }, id, expectedVersion)
  if ('__typename' in theme) return theme
  const [seen] = await themes.publications(storeId, 1)
  if (seen?.themeId === theme.id) {
    return validationError([
      {
        field: 'id',
        message: `Expected "id" to be a theme that customers do not see, got "${theme.name}": apply another first.`,
      },
    ])
  }
  await themes.delete(storeId, theme.id)
  return { __typename: 'DeleteThemeSuccess' as const, row: theme.id }
}

/** What customers would see if the theme were applied with these settings on top. */
export function previewTheme(theme: Theme | null, id: string, settings: unknown) {
  if (!theme) return notFoundError('theme', id)
  const { problems, values } = customised(theme, settings)
  if (problems.length > 0) return validationError(problems)
  const view: ThemeView = { theme, customised: values, publishedAt: null }
  return { __typename: 'PreviewThemeSuccess' as const, view }
}

/** The theme, locked against changes until the transaction ends; or why it cannot be changed. */
async function themeOf(
  { themes, storeId }: { readonly themes: ThemeRepository; readonly storeId: number },
  id: string,
  expectedVersion: number | null | undefined,
) {
  await themes.lock(storeId)
  const [theme] = await themes.findByIds(storeId, [decodeId(id, 'Theme') ?? 0])
  if (!theme) return notFoundError('theme', id)
  return staleVersion(expectedVersion, theme.version) ?? theme
}
