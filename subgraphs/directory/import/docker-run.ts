import { ownValue } from '../../../platform/collections/lookup-table.ts'
import type { ContainerOptions } from './command.ts'
import { asList, asRecord } from './shape.ts'

/** `{{server.parameter|filter|filter}}`, as Docker's registry fills parameters in. */
const TEMPLATE = /^\{\{([\w.-]{1,100})((?:\|[\w:[\]-]{1,50}){0,5})\}\}/

/** More would not be a readable command. */
const MAX_OPTIONS = 30

type Parameters = { readonly required: ReadonlySet<unknown>; readonly properties: Readonly<Record<string, unknown>> }

/**
 * Options to run a server of Docker's registry: `run` of its server.yaml, with values of the user
 * as `/path/to/…` and `YOUR_…`. Optional options are left out. Null when a part cannot be
 * expressed: a folder of the host that the source chose, more than 30 options.
 */
export function containerOptions(fields: Readonly<Record<string, unknown>>): ContainerOptions | null {
  const run = asRecord(fields.run) ?? {}
  const parameters = parametersOf(fields.config)
  const [command, volumes, ports] = [asList(run.command), asList(run.volumes), asList(run.ports)]
  if ([command, volumes, ports].some((list) => list.length > MAX_OPTIONS)) return null
  const args = command.flatMap((word) => argumentOf(word, parameters))
  const mounts = volumes.flatMap((volume) => mountOf(volume, parameters))
  const published = ports.map((port) => Number(/^(\d{1,5}):\1$/.exec(String(port))?.[1]))
  return args.includes(null) || mounts.includes(null)
    ? null
    : {
        args: args.filter((word) => word !== null),
        volumes: mounts.filter((mount) => mount !== null),
        ports: published,
        env: settingsOf(run.env),
      }
}

/** Variables whose values are fixed; a value that is not safe to paste leaves the name alone. */
const settingsOf = (env: unknown): readonly string[] =>
  Object.entries(asRecord(env) ?? {})
    .slice(0, MAX_OPTIONS)
    .map(([name, value]) => (/^[A-Za-z0-9._@/:+-]{1,200}$/.test(String(value)) ? `${name}=${value}` : name))

function parametersOf(config: unknown): Parameters {
  const all = (Array.isArray(config) ? config : [config]).map((one) => asRecord(asRecord(one)?.parameters) ?? {})
  return {
    required: new Set(all.flatMap(({ required }) => asList(required))),
    properties: Object.assign(Object.create(null), ...all.map(({ properties }) => asRecord(properties) ?? {})),
  }
}

type Parameter = { readonly name: string; readonly isOptional: boolean; readonly fallback: string | null }

/** The parameter at the start of a text, and the rest; null when there is none. */
function templateIn(text: string, { required, properties }: Parameters): (Parameter & { readonly rest: string }) | null {
  const [whole, path = '', filters = ''] = TEMPLATE.exec(text) ?? []
  if (whole === undefined) return null
  const name = path.split('.').slice(1).join('.') || path
  const fallback = asRecord(ownValue(properties, name))?.default
  return {
    name: name.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, ''),
    isOptional: /\|or:/.test(filters) || (required.size > 0 && !required.has(name) && !required.has(name.split('.')[0])),
    fallback: typeof fallback === 'string' && /^[A-Za-z0-9._-]+$/.test(fallback) ? fallback : null,
    rest: text.slice(whole.length),
  }
}

const folderFor = (name: string): string => `/path/to/${name.toLowerCase()}`
const valueFor = (name: string): string => `YOUR_${name.toUpperCase().replaceAll('-', '_')}`

/** A word of the server's own command; nothing for one that is optional, null for one that is not text. */
function argumentOf(word: unknown, parameters: Parameters): readonly (string | null)[] {
  if (typeof word !== 'string') return [null]
  const start = word.indexOf('{{')
  if (start === -1) return [word.replace(/^\$(\w+)$/, (_, name: string) => valueFor(name))]
  const template = templateIn(word.slice(start), parameters)
  if (template?.rest !== '') return [null]
  if (word.includes('|volume')) return template.isOptional ? [] : [folderFor(template.name)]
  if (template.fallback !== null) return [`${word.slice(0, start)}${template.fallback}`]
  return template.isOptional ? [] : [`${word.slice(0, start)}${valueFor(template.name)}`]
}

/** A mount: of a named volume, or of a folder that the reader chooses. */
function mountOf(volume: unknown, parameters: Parameters): readonly (string | null)[] {
  if (typeof volume !== 'string') return [null]
  const template = templateIn(volume, parameters)
  if (!template) return [volume]
  if (template.isOptional) return []
  const folder = folderFor(template.name)
  // Without a target, or with that of a template, the container sees the folder at the same path.
  const isOwnTarget = template.rest === '' || template.rest.startsWith(':{{')
  return [isOwnTarget ? `${folder}:${folder}` : `${folder}${template.rest}`]
}
