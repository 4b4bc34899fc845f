import { isText, type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { type SettingType, type ThemeSetting, themeProblems, valueProblem } from './theme.ts'

/** A file of a theme. */
export type ThemeFile = { readonly path: string; readonly content: string }

/** A setting as it is uploaded. */
export type UploadedSetting = {
  readonly key: string
  readonly label?: string | null | undefined
  readonly type: SettingType
  readonly options?: readonly string[] | null | undefined
  readonly default: unknown
}

/** A theme as it is uploaded. */
export type Upload = {
  readonly name: string
  readonly label?: string | null | undefined
  readonly settings?: readonly UploadedSetting[] | null | undefined
  readonly files: readonly ThemeFile[]
}

const MAX_SETTINGS = 100
const MAX_OPTIONS = 50
const MAX_FILES = 200
const MAX_TEXT_LENGTH = 100
const MAX_FILE_LENGTH = 100_000
const KEY = /^[\w-]{1,60}$/

/** Safe for every unpacking program: no parent folders, hidden files, streams or drives. */
const PATH = /^(?:[\w-][\w.-]{0,59}\/){0,7}[\w-][\w.-]{0,59}\.(?:html|liquid|css|js|json|svg|txt|md)$/

/** Problems of a theme to upload. */
export const uploadProblems = ({ name, label, settings, files }: Upload): readonly Problem[] => [
  ...themeProblems({ name, label }),
  ...settingsProblems(settings ?? []),
  ...filesProblems(files),
]

/** The settings of an upload without problems. */
export const settingsOf = ({ settings }: Upload): readonly ThemeSetting[] =>
  (settings ?? []).map(({ key, label, type, options, default: usual }) => ({
    key,
    label: label ?? key,
    type,
    options: options ?? [],
    default: usual as ThemeSetting['default'], // checked by valueProblem
  }))

function settingsProblems(settings: readonly UploadedSetting[]): readonly Problem[] {
  if (settings.length > MAX_SETTINGS) return [problem('settings', `at most ${MAX_SETTINGS} settings`, settings.length)]
  const keys = settings.map(({ key }) => key)
  return problemsIn(
    settings.flatMap(({ key, label, type, options, default: usual }, index) => {
      const field = `settings.${index}`
      return [
        KEY.test(key) ? null : problem(`${field}.key`, '1 to 60 letters, digits, "_" and "-"', key),
        keys.indexOf(key) < index ? problem(`${field}.key`, 'a key that no other setting has', key) : null,
        label == null ? null : textProblem(`${field}.label`, label, MAX_TEXT_LENGTH),
        optionsProblem(`${field}.options`, type, options ?? []),
        valueProblem(`${field}.default`, { type, options: options ?? [] }, usual),
      ]
    }),
  )
}

function optionsProblem(field: string, type: SettingType, options: readonly string[]): Problem | null {
  if (type !== 'CHOICE') return options.length === 0 ? null : problem(field, `absent for the type ${type}`, options)
  const isFit = options.length >= 1 && options.length <= MAX_OPTIONS && new Set(options).size === options.length
  if (!isFit) return problem(field, `1 to ${MAX_OPTIONS} texts, each once`, options)
  const wrong = options.find((option) => textProblem(field, option, MAX_TEXT_LENGTH) !== null)
  return wrong === undefined ? null : textProblem(field, wrong, MAX_TEXT_LENGTH)
}

function filesProblems(files: readonly ThemeFile[]): readonly Problem[] {
  if (files.length === 0 || files.length > MAX_FILES) return [problem('files', `1 to ${MAX_FILES} files`, files.length)]
  const paths = files.map(({ path }) => path.toLowerCase())
  // A name cannot be a folder's and a file's.
  const folders = new Set(paths.flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))))
  return problemsIn(
    files.flatMap(({ path, content }, index) => {
      const field = `files.${index}`
      const lower = path.toLowerCase()
      return [
        PATH.test(path) ? null : problem(`${field}.path`, 'a path such as "templates/product.liquid"', path),
        paths.indexOf(lower) < index || folders.has(lower)
          ? problem(`${field}.path`, 'a path that no other file or folder has', path)
          : null,
        content.length <= MAX_FILE_LENGTH && isText(content)
          ? null
          : problem(
              `${field}.content`,
              `at most ${MAX_FILE_LENGTH} characters, no NUL characters and unpaired surrogates among them`,
              content,
            ),
      ]
    }),
  )
}
