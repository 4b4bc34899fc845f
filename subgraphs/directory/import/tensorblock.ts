import type { Transport } from '../item/item.ts'
import { statedCommand } from './command.ts'
import { commandInstallation, remoteInstallation } from './installation.ts'
import { serverStatement, transportIn, variablesIn } from './server.ts'
import { asList, asRecord } from './shape.ts'
import { singleRecordReader } from './single-record-reader.ts'

/**
 * data/profiles/*.json of the TensorBlock index: collected by programs, so its commands are read
 * with suspicion.
 */
export const tensorblockReader = singleRecordReader(
  'tensorblock',
  ({ id, name, links, install }) =>
    typeof id === 'string' && typeof name === 'string' && asRecord(links) !== null && asRecord(install) !== null,
  (fields) => {
    const [links, install] = [asRecord(fields.links) ?? {}, asRecord(fields.install) ?? {}]
    const transport =
      asList(fields.transport)
        .map(transportIn)
        .find((word) => word !== null) ?? null
    const commands = asList(install.commands).filter((command) => typeof command === 'string')
    const endpoint = typeof links.endpoint === 'string' ? links.endpoint : null
    const name = typeof fields.name === 'string' ? fields.name : ''
    return serverStatement({
      repository: links.repo,
      areLabels: true,
      names: [name, typeof fields.id === 'string' ? fields.id.replace(/-[0-9a-f]{8}$/, '') : null],
      // Where it found no title, the index repeats the repository.
      title: /^[\w.-]+\/[\w.-]+$/.test(name) ? null : name,
      description: fields.description,
      category: fields.category,
      transport,
      installations: [
        ...commands.flatMap((command) => statedCommand(command) ?? []).map(commandInstallation),
        remoteInstallation({
          name: name.toLowerCase().replaceAll(' ', '-'),
          url: endpoint,
          transport: remoteTransportOf(transport),
        }),
      ],
      envVars: variablesIn(install.env, () => ({ required: false })),
      remoteUrl: endpoint,
      docs: [links.docs, links.homepage, links.primary],
    })
  },
)

/** The first stated transport is that of the endpoint unless it is one of programs. */
const remoteTransportOf = (transport: Transport | null): Transport | null => (transport === 'stdio' ? null : transport)
