import { packageInstallation, remoteInstallation } from './installation.ts'
import { folderOf } from './link.ts'
import { serverStatement, transportIn, variablesIn } from './server.ts'
import { asList, asRecord } from './shape.ts'
import { singleRecordReader } from './single-record-reader.ts'

const MANAGERS: ReadonlyMap<unknown, 'npm' | 'pypi'> = new Map([
  ['node', 'npm'],
  ['python', 'pypi'],
] as const)

/** packages/<category>/*.json of the ToolSDK registry. */
export const toolsdkReader = singleRecordReader(
  'toolsdk',
  ({ type, packageName }) => type === 'mcp-server' && typeof packageName === 'string',
  (fields, file) => {
    const name = typeof fields.packageName === 'string' ? fields.packageName : ''
    const remote = asRecord(asList(fields.remotes)[0])
    const from = MANAGERS.get(fields.runtime)
    const category = folderOf(file.path).split('/').at(-1)
    const remoteTransport = remote ? (transportIn(remote.type) ?? 'streamable-http') : null
    return serverStatement({
      repository: fields.url,
      names: [name, fields.name],
      areLabels: !isPackage(name),
      title: fields.name,
      description: fields.description,
      // A folder for what nobody has sorted yet is no category.
      category: category === 'uncategorized' || category === 'other-tools-and-integrations' ? null : category,
      transport: remoteTransport ?? (from ? 'stdio' : null),
      installations: [
        from && isPackage(name) ? packageInstallation({ from, name }) : null,
        remote ? remoteInstallation({ name: labelOf(name), url: remote.url, transport: remoteTransport }) : null,
      ],
      envVars: variablesIn(fields.env, ({ required }) => ({ required: required === true })),
      remoteUrl: remote?.url,
      docs: [fields.url],
    })
  },
)

/**
 * Half of the names are invented labels ("github-actions") and not packages: starting what somebody
 * else published under that name would run a stranger's code. Only a name in a scope, or one that
 * says it is a server, is taken for a package.
 */
const isPackage = (name: string): boolean =>
  !name.startsWith('@toolsdk-remote/') && (/^@[^/]+\/[^/]+$/.test(name) || /mcp/i.test(name))

const labelOf = (name: string): string => name.split('/').at(-1) ?? name
