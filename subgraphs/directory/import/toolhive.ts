import type { EnvVar, Installation, Transport } from '../item/item.ts'
import { shellWord } from './command.ts'
import { packageInstallation, remoteInstallation } from './installation.ts'
import { folderOf } from './link.ts'
import { serverStatement, transportIn, variablesIn } from './server.ts'
import { asList, asRecord } from './shape.ts'
import { singleRecordReader } from './single-record-reader.ts'

/**
 * spec.yaml of the ToolHive registry: the only format that knows stars. The folder names the server
 * where the file does not.
 */
export const toolhiveReader = singleRecordReader(
  'toolhive',
  ({ tier, transport, image, url, description }) =>
    typeof tier === 'string' &&
    typeof transport === 'string' &&
    typeof description === 'string' &&
    (typeof image === 'string' || typeof url === 'string'),
  (fields, file) => {
    const name = typeof fields.name === 'string' ? fields.name : (folderOf(file.path).split('/').at(-1) ?? '')
    const envVars = variablesIn(fields.env_vars, ({ required, secret }) => ({
      required: required === true,
      secret: secret === true,
    }))
    const image = typeof fields.image === 'string' ? fields.image : null
    const url = typeof fields.url === 'string' ? fields.url : null
    const transport = transportIn(fields.transport)
    return serverStatement({
      repository: fields.repository_url,
      names: [name, image],
      title: typeof fields.title === 'string' ? fields.title : null,
      description: fields.description,
      tags: fields.tags,
      stars: asRecord(fields.metadata)?.stars,
      official: fields.tier === 'Official' ? true : null,
      transport,
      installations: [
        imageInstallation(fields, envVars, transport),
        remoteInstallation({ name, url, transport }),
        image === null ? null : running(name, transport),
      ],
      envVars,
      features: { tools: fields.tool_definitions ?? fields.tools },
      remoteUrl: url,
      deprecated: fields.status === 'Deprecated' ? true : fields.status === 'Active' ? false : null,
    })
  },
)

/**
 * The image with its arguments. One that speaks HTTP needs its port published: without a stated
 * port nobody reaches it, and null is returned.
 */
function imageInstallation(
  fields: Readonly<Record<string, unknown>>,
  envVars: readonly EnvVar[],
  transport: Transport | null,
): Installation | null {
  const port = fields.target_port
  const isLocal = transport === null || transport === 'stdio'
  if (typeof fields.image !== 'string' || (!isLocal && !isPort(port))) return null
  const args = asList(fields.args)
  if (args.length > MAX_ARGUMENTS || !args.every((word) => typeof word === 'string')) return null
  return packageInstallation(
    {
      from: 'oci',
      name: fields.image,
      env: envVars.filter(({ required }) => required).map(({ name }) => name),
      ports: isLocal || !isPort(port) ? [] : [port],
      args,
    },
    transport ?? 'stdio',
  )
}

/** More are no command that a person reads. */
const MAX_ARGUMENTS = 30

const isPort = (value: unknown): value is number => typeof value === 'number' && value > 0

/** How ToolHive's own client starts a server of its registry. */
const running = (name: string, transport: Transport | null): Installation | null =>
  shellWord(name) === null ? null : { command: `thv run ${name}`, transport: transport ?? 'unknown' }
