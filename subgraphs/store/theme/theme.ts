import { ownValue } from '../../../platform/collections/lookup-table.ts'
import { isText, type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'

export const SETTING_TYPES = ['TEXT', 'NUMBER', 'BOOLEAN', 'COLOR', 'URL', 'CHOICE'] as const
export type SettingType = (typeof SETTING_TYPES)[number]
export type SettingValue = string | number | boolean

/** Something about a theme that the merchant can choose. */
export type ThemeSetting = {
  readonly key: string
  readonly label: string
  readonly type: SettingType
  /** Empty for other types than CHOICE. */
  readonly options: readonly string[]
  readonly default: SettingValue
}

/** Values by the keys of settings. */
export type SettingValues = Readonly<Record<string, SettingValue>>

/** How a shop looks. */
export type Theme = {
  readonly id: number
  readonly name: string
  /** Version of the theme; null when unknown. */
  readonly label: string | null
  readonly settings: readonly ThemeSetting[]
  /** Settings that are not in it have their default. */
  readonly customised: SettingValues
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** What customers of the store see since `publishedAt`. */
export type Publication = {
  readonly id: number
  readonly storeId: number
  readonly themeId: number
  readonly customised: SettingValues
  readonly publishedAt: Date
}

/** A theme with these settings; `publishedAt` is null for an unpublished one. */
export type ThemeView = {
  readonly theme: Theme
  readonly customised: SettingValues
  readonly publishedAt: Date | null
}

/** A store has at most so many. */
export const MAX_THEMES = 20
/** Most publications that can be reverted. */
export const MAX_REVERTS = 50
const MAX_NAME_LENGTH = 100
const MAX_LABEL_LENGTH = 50
const MAX_VALUE_LENGTH = 1_000

/** Problems of the name and label of a theme; undefined ones stay unchanged. */
export const themeProblems = ({
  name,
  label,
}: {
  readonly name?: string | null | undefined
  readonly label?: string | null | undefined
}): readonly Problem[] =>
  problemsIn([
    name === undefined ? null : textProblem('name', name ?? '', MAX_NAME_LENGTH),
    label == null ? null : textProblem('label', label, MAX_LABEL_LENGTH),
  ])

/** What each type takes. */
const TYPES: Readonly<
  Record<SettingType, { readonly expectation: string; readonly takes: (value: unknown, options: readonly string[]) => boolean }>
> = {
  TEXT: { expectation: `text of at most ${MAX_VALUE_LENGTH} characters`, takes: isShortText },
  NUMBER: { expectation: 'a finite number', takes: (value) => Number.isFinite(value) },
  BOOLEAN: { expectation: 'true or false', takes: (value) => typeof value === 'boolean' },
  COLOR: {
    expectation: 'a colour such as "#1a2b3c"',
    takes: (value) => typeof value === 'string' && /^#(?:[0-9a-f]{6}|[0-9a-f]{8})$/i.test(value),
  },
  URL: {
    expectation: `an http or https URL of at most ${MAX_VALUE_LENGTH} characters, or ""`,
    takes: (value) => value === '' || (isShortText(value) && isHttpUrl(value)),
  },
  // `includes` answers for any value.
  CHOICE: { expectation: 'one of its options', takes: (value, options) => options.includes(value as string) },
}

/** The problem of this value of a setting; null: none, and it is a `SettingValue`. */
export const valueProblem = (
  field: string,
  { type, options }: Pick<ThemeSetting, 'type' | 'options'>,
  value: unknown,
): Problem | null => (TYPES[type].takes(value, options) ? null : problem(field, TYPES[type].expectation, value))

/**
 * The settings of a theme after setting these values, or their problems. Null resets one to its
 * default.
 */
export function customised(
  { settings, customised: before }: Pick<Theme, 'settings' | 'customised'>,
  given: unknown,
): { readonly problems: readonly Problem[]; readonly values: SettingValues } {
  if (given == null) return { problems: [], values: before }
  if (typeof given !== 'object' || Array.isArray(given)) {
    return { problems: [problem('settings', 'an object of values by the keys of settings', given)], values: before }
  }
  const known = new Map(settings.map((setting) => [setting.key, setting]))
  const problems: Problem[] = []
  const values = new Map(Object.entries(before))
  for (const [key, value] of Object.entries(given)) {
    const setting = known.get(key)
    const wrong = setting
      ? value === null || valueProblem(`settings.${key}`, setting, value)
      : problem('settings', 'an object of values by the keys of settings that the theme has', key)
    // A value equal to the default is not stored.
    if (wrong === true || value === setting?.default) values.delete(key)
    else if (wrong) problems.push(wrong)
    else values.set(key, value)
  }
  return { problems, values: Object.fromEntries(values) }
}

/** The value of every setting, by its key, in the order of the theme. */
export const effectiveValues = (settings: readonly ThemeSetting[], values: SettingValues): SettingValues =>
  Object.fromEntries(settings.map(({ key, default: usual }) => [key, ownValue(values, key) ?? usual]))

/** Whether customers would see the same. */
export const looksLike = (theme: Theme, seen: Pick<Publication, 'themeId' | 'customised'> | null): boolean =>
  seen?.themeId === theme.id &&
  theme.settings.every(
    ({ key, default: usual }) => (ownValue(theme.customised, key) ?? usual) === (ownValue(seen.customised, key) ?? usual),
  )

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_VALUE_LENGTH && isText(value)
}

const isHttpUrl = (value: string): boolean => URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol)
