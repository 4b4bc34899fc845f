import { installCommand } from './command.ts'
import { folderOf } from './link.ts'
import { serverStatement, transportIn, variablesIn } from './server.ts'
import { asRecord } from './shape.ts'
import { singleReader } from './single.ts'

/**
 * spec.yaml of the ToolHive registry: the only format that knows stars. The folder names the server
 * where the file does not.
 */
export const toolhiveReader = singleReader(
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
      installCommand:
        image !== null
          ? installCommand({
              from: 'oci',
              name: image,
              env: envVars.filter(({ required }) => required).map(({ name: variable }) => variable),
            })
          : url !== null
            ? installCommand({ from: 'remote', name, url, transport: transport === 'sse' ? 'sse' : 'http' })
            : null,
      envVars,
      remoteUrl: url,
      deprecated: fields.status === 'Deprecated' || null,
    })
  },
)
