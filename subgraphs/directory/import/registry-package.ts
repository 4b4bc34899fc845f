import type { EnvVar, Installation } from '../item/item.ts'
import { packageInstallation } from './installation.ts'
import { transportIn } from './server.ts'
import { asList, asRecord } from './shape.ts'
import { cleanText } from './text.ts'

type Fields = Readonly<Record<string, unknown>>

const MANAGERS: ReadonlyMap<unknown, 'npm' | 'pypi' | 'oci' | 'nuget'> = new Map([
  ['npm', 'npm'],
  ['pypi', 'pypi'],
  ['oci', 'oci'],
  ['docker', 'oci'],
  ['nuget', 'nuget'],
] as const)

/** More would not be a readable command. */
const MAX_ARGUMENTS = 30
/** Most characters of an argument that are read. */
const MAX_ARGUMENT_LENGTH = 500

/**
 * A package of a server.json as an installation: with its version, the required arguments, and
 * `YOUR_…` for values of the user. Optional arguments without a value are left out. Null for an
 * unknown package manager, and for text that is not safe to paste.
 */
export function registryPackage(one: Fields, env: readonly string[]): Installation | null {
  const from = MANAGERS.get(one.registryType ?? one.registry_name)
  const identifier = one.identifier ?? one.name
  if (from === undefined || typeof identifier !== 'string') return null
  // The older `package_arguments` hold what the author typed: paths and passwords of one machine.
  const args = listOf(one.packageArguments).map(wordsOf)
  if (args.includes(null)) return null
  const transport = transportIn(asRecord(one.transport)?.type) ?? 'stdio'
  const words = args.flatMap((list) => list ?? [])
  // An unfilled template: `name:${VERSION}` is the newest.
  const name = identifier.replace(/(?<=.)[:@]\$\{\w{1,50}\}$/, '')
  if (from !== 'oci') {
    return packageInstallation(
      { from, name, version: typeof one.version === 'string' ? one.version : null, args: words },
      transport,
    )
  }
  const settings = listOf(one.runtimeArguments).map(settingOf)
  const fixed = settings.flatMap((setting) => setting?.env ?? [])
  const names = new Set(fixed.map((setting) => setting.split('=', 1)[0]))
  return packageInstallation(
    {
      from,
      name,
      env: [...env.filter((variable) => !names.has(variable)), ...fixed],
      ports: settings.flatMap((setting) => setting?.port ?? []),
      args: words,
    },
    transport,
  )
}

/** Variables that the arguments of a container runtime pass on: `-e NAME={value}`. */
export const runtimeVariables = (one: Fields): readonly EnvVar[] =>
  listOf(one.runtimeArguments).flatMap((argument) => {
    const [, name = ''] = /^([A-Za-z_]\w{0,99})=\{/.exec(statedValue(argument)) ?? []
    if (argument.name !== '-e' || name === '') return []
    const [variable = {}] = Object.values(asRecord(argument.variables) ?? {}).map((value) => asRecord(value) ?? {})
    const required = argument.isRequired === true || variable.isRequired === true
    return [{ name, required, secret: variable.isSecret === true, description: cleanText(argument.description, 500) }]
  })

const listOf = (value: unknown): readonly Fields[] =>
  asList(value)
    .slice(0, MAX_ARGUMENTS)
    .map((argument) => asRecord(argument) ?? {})

const statedValue = ({ value }: Fields): string => (typeof value === 'string' ? value.slice(0, MAX_ARGUMENT_LENGTH) : '')

/** The words of one argument; null when it is required and cannot be expressed. */
function wordsOf(argument: Fields): readonly string[] | null {
  const isRequired = argument.isRequired === true
  const stated = [argument.value, argument.default].find((value) => typeof value === 'string' && value !== '')
  const hint = [argument.valueHint, argument.name].find((value) => typeof value === 'string')
  const isNamed = argument.type === 'named'
  if (!isRequired && statedValue(argument) === '') return []
  const value = typeof stated === 'string' ? filled(stated.slice(0, MAX_ARGUMENT_LENGTH)) : isNamed ? null : placeholder(hint)
  const words = [...(isNamed && typeof argument.name === 'string' ? [argument.name] : []), ...(value === null ? [] : [value])]
  return words.every((word) => !/\s/.test(word)) ? words : isRequired ? null : []
}

/** `{token}` becomes `YOUR_TOKEN`. */
const filled = (value: string): string => value.replace(/\{([\w-]{1,50})\}/g, (_, name: string) => placeholder(name))

const placeholder = (name: unknown): string =>
  `YOUR_${String(typeof name === 'string' && name !== '' ? name : 'VALUE')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .toUpperCase()}`

/** A published port or a variable with a value; null for any other argument of a runtime. */
function settingOf(argument: Fields): { readonly env?: string; readonly port?: number } | null {
  const value = statedValue(argument)
  if (argument.name === '-p') {
    const port = /^(?:127\.0\.0\.1:)?(\d{1,5}):\1$/.exec(value)?.[1]
    return port === undefined ? null : { port: Number(port) }
  }
  if (argument.name !== '-e') return null
  return /^[A-Za-z_]\w*=[A-Za-z0-9._@/:+-]+$/.test(value) ? { env: value } : null
}
