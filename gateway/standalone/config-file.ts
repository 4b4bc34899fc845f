import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { type GatewayOptions, gatewayOptionsShape, type ValidOptions } from '../options/gateway-options.ts'
import { options, validateOptions } from '../options/validate-options.ts'
import {
  type SupergraphSourceOptions,
  supergraphSourceOptions,
  type ValidSourceOptions,
} from '../planning/sources/source-options.ts'
import { variables } from './config.ts'
import { sourceVariables } from './source-variables.ts'

type Variables = typeof variables

/** Variables whose option has another path; all others are the variable's name in camel case. */
const PATHS = [
  ['DEPTH_LIMIT', ['limits', 'depth']],
  ['COST_LIMIT', ['limits', 'cost']],
  ['SUBGRAPH_COST_LIMITS', ['limits', 'subgraphs']],
  ['COST_SCALAR', ['limits', 'weights', 'scalar']],
  ['COST_OBJECT', ['limits', 'weights', 'object']],
  ['COST_LIST_FACTOR', ['limits', 'weights', 'listFactor']],
  ['SLOW_OPERATION_MILLISECONDS', ['slowMilliseconds']],
  ['ENTITY_CACHE_BYTES', ['entityCache', 'maxBytes']],
  ['ENTITY_CACHE_REDIS_URL', ['entityCache', 'redisUrl']],
  ['SUBGRAPH_TIMEOUT_MILLISECONDS', ['allSubgraphs', 'timeoutMilliseconds']],
  ['UPLOAD_MAX_FILE_BYTES', ['uploads', 'maxFileBytes']],
  ['UPLOAD_MAX_FILES', ['uploads', 'maxFiles']],
  ['UPLOAD_TIMEOUT_SECONDS', ['uploads', 'timeoutSeconds']],
  ['UPLOAD_MAX_CONCURRENCY', ['uploads', 'maxConcurrency']],
  ['JWT_JWKS_URL', ['jwt', 'jwksUrl']],
  ['JWT_ISSUER', ['jwt', 'issuer']],
  ['JWT_AUDIENCE', ['jwt', 'aud']],
  ['JWT_SCOPES_CLAIM', ['jwt', 'scopesClaim']],
  ['JWT_POLICIES_CLAIM', ['jwt', 'policiesClaim']],
] as const satisfies readonly (readonly [keyof Variables, readonly string[]])[]

type Named = Exclude<keyof Variables, (typeof PATHS)[number][0] | Uppercase<SnakeCase<keyof GatewayOptions>>>
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : ''
type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>

/** Type of a setting in a configuration file, by the type of the parsed variable. */
type ValueOf<Read> = Read extends number | boolean ? Read : Read extends (...args: never[]) => unknown ? string : Read

/** Type of a standalone gateway's configuration file: `export default defineConfig({ … })`. */
export type GatewayConfig = GatewayOptions & {
  /** Source of the supergraph, in place of the settings that name one. */
  readonly supergraph?: SupergraphSourceOptions | undefined
} & {
  readonly [Name in Named as CamelCase<Name>]?: ValueOf<z.output<Variables[Name]['read']>> | undefined
}

/** Content of a configuration file. */
export type LoadedConfig = {
  /** Path of the file; null without one. */
  readonly path: string | null
  /** Options of `createGateway`. */
  readonly options: ValidOptions
  /** Source of the supergraph; null: settings name it. */
  readonly supergraph: ValidSourceOptions | null
  /** Other settings as text, by variable name. */
  readonly env: Readonly<Record<string, string>>
}

/** Default file names in the working directory, in this order. */
const DEFAULT_NAMES = ['atrium.config.ts', 'atrium.config.mts', 'atrium.config.js', 'atrium.config.mjs']

/**
 * Loads the named configuration file, else the default one in `folder`, if any. Throws an
 * `OperatorError` for an unreadable file, with a line per invalid option.
 */
export async function loadConfigFile(named: string | undefined, folder: string): Promise<LoadedConfig> {
  const path = named === undefined ? DEFAULT_NAMES.map((name) => join(folder, name)).find(existsSync) : resolve(folder, named)
  if (path === undefined) return { path: null, options: {}, supergraph: null, env: {} }
  return readConfigObject(await importDefault(path), path)
}

async function importDefault(path: string): Promise<unknown> {
  if (!existsSync(path)) throw new OperatorError(`The configuration file ${path} does not exist.`)
  let loaded: { readonly default?: unknown }
  try {
    loaded = await import(pathToFileURL(path).href)
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    throw new OperatorError(`The configuration file ${path} cannot be loaded: ${line.replace(/\.$/, '')}.`, { cause: error })
  }
  if (loaded.default === undefined) {
    throw new OperatorError(
      `The configuration file ${path} has no default export: expected "export default defineConfig({ … })".`,
    )
  }
  return loaded.default
}

/** Validates the object that a configuration file exports. */
export function readConfigObject(given: unknown, path: string): LoadedConfig {
  const valid = validateOptions<Readonly<Record<string, unknown>>>(configSchema, given, ` in ${path}`)
  const env = Object.keys(variables).flatMap((name) => {
    const value = pathOf(name).reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), valid)
    const text = isObject(value) && !Array.isArray(value) ? costsText(value) : textOf(value)
    return value === undefined || text === null ? [] : [[name, text] as const]
  })
  // Validated by the schema.
  const supergraph = (valid.supergraph as ValidSourceOptions | undefined) ?? null
  const shared = Object.entries(valid).filter(([key]) => Object.hasOwn(gatewayOptionsShape, key))
  return {
    path,
    options: Object.fromEntries(shared),
    supergraph,
    env: { ...Object.fromEntries(env), ...(supergraph && polling(supergraph)) },
  }
}

/** Settings of polling that a source has itself, so that variables and flags override them. */
function polling(source: ValidSourceOptions): LoadedConfig['env'] {
  const { pollSeconds, lastGoodFile } = source.type === 'file' ? {} : source
  return {
    ...(pollSeconds !== undefined && { SUPERGRAPH_POLL_SECONDS: String(pollSeconds) }),
    ...(lastGoodFile !== undefined && { SUPERGRAPH_LAST_GOOD_FILE: lastGoodFile }),
  }
}

/** Merges settings by variable name: flags override the environment, which overrides the file. */
export const mergeSettings = (
  file: LoadedConfig['env'],
  environment: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Record<string, string>>,
): Readonly<Record<string, string | undefined>> => ({
  ...file,
  // Empty variables are ignored, because many tools cannot unset them.
  ...Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== '')),
  ...flags,
})

/** Path of a variable's option in a configuration file. */
export const pathOf = (name: string): readonly string[] =>
  PATHS.find(([variable]) => variable === name)?.[1] ?? [
    name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  ]

const textOf = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? '1' : '0') : Array.isArray(value) ? value.join(',') : String(value)

/** Costs of subgraph limits as text of their variable; null for none. */
function costsText(limits: Readonly<Record<string, unknown>>): string | null {
  const costs = Object.entries(limits).flatMap(([name, limit]) =>
    isObject(limit) && limit.cost !== undefined ? [`${name}=${limit.cost}`] : [],
  )
  return costs.length === 0 ? null : costs.join(',')
}

/** Settings without an option of `createGateway`: validated like the variable. */
const settingsShape = Object.fromEntries(
  Object.entries(variables).flatMap(([name, { read }]) => {
    const [key = '', ...rest] = pathOf(name)
    if (rest.length > 0 || Object.hasOwn(gatewayOptionsShape, key)) return []
    const setting = z.unknown().superRefine((value, context) => {
      if (value === undefined) return
      const isSimple = typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
      const result = isSimple
        ? z
            .string()
            // Every variable is parsed from text.
            .pipe(read as z.ZodType<unknown, string>)
            .safeParse(textOf(value))
        : null
      if (result?.success) return
      const message = result?.error.issues.map((issue) => issue.message).join(' and ') ?? 'a text, a number, true or false'
      context.addIssue({ code: 'custom', message })
    })
    return [[key, setting.optional()] as const]
  }),
)

/** Settings of sources that have no effect beside the option `supergraph`. */
const SOURCE_SETTINGS = Object.keys(sourceVariables)
  .filter((name) => name !== 'SUPERGRAPH_POLL_SECONDS' && name !== 'SUPERGRAPH_LAST_GOOD_FILE')
  .map((name) => pathOf(name)[0] ?? '')

const configSchema = options({
  ...settingsShape,
  ...gatewayOptionsShape,
  supergraph: supergraphSourceOptions.optional(),
}).superRefine((given, context) => {
  if (given.supergraph === undefined) return
  for (const name of SOURCE_SETTINGS) {
    if (Reflect.get(given, name) !== undefined) {
      context.addIssue({ code: 'custom', path: [name], message: 'absent beside "supergraph", which is the source' })
    }
  }
})

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null
