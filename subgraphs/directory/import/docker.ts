import type { EnvVar, Installation, Transport } from '../item/item.ts'
import { shellWord } from './command.ts'
import { containerOptions } from './docker-run.ts'
import { packageInstallation, remoteInstallation } from './installation.ts'
import { folderOf, folderUrl } from './link.ts'
import { serverStatement, transportIn, variablesIn } from './server.ts'
import { asList, asRecord } from './shape.ts'
import { singleRecordReader } from './single-record-reader.ts'

const KINDS: readonly unknown[] = ['server', 'remote', 'poci']

/**
 * server.yaml of Docker's MCP registry: images, remote servers, and tools that run in images of
 * their own.
 */
export const dockerReader = singleRecordReader(
  'docker',
  ({ name, type, meta, about }) =>
    typeof name === 'string' && KINDS.includes(type) && (asRecord(meta) !== null || asRecord(about) !== null),
  (fields, file) => {
    const [meta, about, source, remote] = [fields.meta, fields.about, fields.source, fields.remote].map(
      (value) => asRecord(value) ?? {},
    )
    const name = typeof fields.name === 'string' ? fields.name : ''
    const envVars = variablesOf(fields.config)
    const url = typeof remote?.url === 'string' ? remote.url : null
    const transport = url === null ? 'stdio' : (transportIn(remote?.transport_type) ?? 'streamable-http')
    const image = typeof fields.image === 'string' ? fields.image : null
    return serverStatement({
      // What has neither a repository nor an address is known by its folder in the registry itself.
      repository: source?.project ?? (url === null ? folderUrl(file.origin, folderOf(file.path)) : null),
      subfolder: source?.directory,
      names: [name, image],
      title: about?.title,
      description: about?.description,
      category: meta?.category,
      tags: meta?.tags,
      // Docker's registry is not the vendor of what lies in it.
      official: source?.project === undefined ? false : null,
      transport,
      installations:
        url !== null ? [remoteInstallation({ name, url, transport })] : [imageInstallation(fields, envVars), enabling(name)],
      envVars,
      remoteUrl: url,
      docs: [source?.project],
      deprecated: (typeof about?.title === 'string' && /\(archived\)/i.test(about.title)) || null,
    })
  },
)

/** How Docker's own client adds it, also without an image or with needs beyond a command. */
function enabling(name: string): Installation | null {
  const transport: Transport = 'stdio'
  return shellWord(name) === null ? null : { command: `docker mcp server enable ${name}`, transport }
}

/** The image with everything that it is run with; null when a part of that is not safe to paste. */
function imageInstallation(fields: Readonly<Record<string, unknown>>, envVars: readonly EnvVar[]): Installation | null {
  const options = containerOptions(fields)
  if (options === null || typeof fields.image !== 'string') return null
  const { env: settings = [], ...rest } = options
  const fixed = new Set(settings.map((setting) => setting.split('=', 1)[0]))
  const env = [...envVars.map(({ name }) => name).filter((name) => !fixed.has(name)), ...settings]
  return packageInstallation({ from: 'oci', name: fields.image, ...rest, env })
}

/** Most characters of a variable's value that are read. */
const MAX_TEMPLATE_LENGTH = 500

/**
 * Secrets are required; settings are when the parameters say so. The configuration is a map, or a
 * list of them.
 */
function variablesOf(config: unknown) {
  return (Array.isArray(config) ? config : [config]).flatMap((value) => {
    const { secrets, env, parameters } = asRecord(value) ?? {}
    const needed = new Set(asList(asRecord(parameters)?.required))
    return [
      ...variablesIn(
        asList(secrets).map((secret) => ({ ...asRecord(secret), name: asRecord(secret)?.env })),
        ({ required }) => ({ required: required !== false, secret: true }),
      ),
      // `value: "{{server.parameter}}"` names the parameter of the variable.
      ...variablesIn(env, ({ value: filled }) => ({
        required:
          typeof filled === 'string' && needed.has(/\{\{[^}]*?([\w-]+)\}\}/.exec(filled.slice(0, MAX_TEMPLATE_LENGTH))?.[1]),
      })),
    ]
  })
}
