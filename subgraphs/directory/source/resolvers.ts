import type { Resolvers } from '#generated/directory/resolvers.ts'
import { excerpt } from '../../../platform/graphql/errors.ts'
import { decodeId, encodeId } from '../../toolkit/ids.ts'
import { createSource, updateSource } from './actions.ts'
import { healthOf, lagSecondsOf, type SourceFault } from './source.ts'

const TYPE = 'DirectorySource'

const DEFAULT_INTERVAL_MINUTES = 360

export const sourceResolvers = {
  Query: {
    directorySources: async (_, __, { sources }) => [...(await sources.list())],
  },
  Mutation: {
    createDirectorySource: async (_, { input }, { administrator, sources, now }) => {
      await administrator()
      const { name, kind, address, repository, intervalMinutes, enabled } = input
      const settings = {
        name,
        kind,
        address,
        repository: repository ?? null,
        intervalMinutes: intervalMinutes ?? DEFAULT_INTERVAL_MINUTES,
        enabled: enabled ?? true,
      }
      const result = await createSource(settings, { sources, now: now() })
      return 'faults' in result ? invalid(result.faults) : { __typename: 'CreateDirectorySourceSuccess', source: result.source }
    },
    updateDirectorySource: async (_, { input: { id, enabled, intervalMinutes } }, { administrator, sources, now }) => {
      await administrator()
      const row = decodeId(id, TYPE)
      if (row === null) return missing(id)
      const changes = { ...(enabled != null && { enabled }), ...(intervalMinutes != null && { intervalMinutes }) }
      const result = await updateSource(row, changes, { sources, now: now() })
      if (result === null) return missing(id)
      return 'faults' in result ? invalid(result.faults) : { __typename: 'UpdateDirectorySourceSuccess', source: result.source }
    },
    deleteDirectorySource: async (_, { input: { id, removeItems } }, { administrator, sources, removeWithItems }) => {
      await administrator()
      const row = decodeId(id, TYPE)
      const source = row === null ? null : await sources.byId(row)
      if (source === null) return missing(id)
      const removed = removeItems ? await removeWithItems(source) : 0
      if (!removeItems) await sources.remove(source.id)
      return { __typename: 'DeleteDirectorySourceSuccess', id, removed }
    },
    runDirectorySource: async (_, { input: { id, acceptDrop } }, { administrator, sources, now }) => {
      await administrator()
      const row = decodeId(id, TYPE)
      const source = row === null ? null : await sources.requestRun(row, acceptDrop ?? false, now())
      return source ? { __typename: 'RunDirectorySourceSuccess', source } : missing(id)
    },
  },
  DirectorySource: {
    id: ({ id }) => encodeId(TYPE, id),
    health: (source, _, { now }) => healthOf(source, now()),
    lagSeconds: (source, _, { now }) => lagSecondsOf(source, now()),
    added: ({ counts }) => counts?.added ?? null,
    updated: ({ counts }) => counts?.updated ?? null,
    removed: ({ counts }) => counts?.removed ?? null,
    rejected: ({ counts }) => counts?.rejected ?? null,
    address: async ({ address }, _, { administrator }) => {
      await administrator()
      return address
    },
    repository: async ({ repository }, _, { administrator }) => {
      await administrator()
      return repository
    },
    lastError: async ({ lastError }, _, { administrator }) => {
      await administrator()
      return lastError
    },
  },
} satisfies Resolvers

const invalid = (faults: readonly SourceFault[]) => ({
  __typename: 'InvalidDirectorySource' as const,
  message: faults.map(({ message }) => message).join(' '),
  faults: [...faults],
})

const missing = (id: string) => ({
  __typename: 'DirectorySourceNotFound' as const,
  message: `There is no source with the id ${excerpt(id)}.`,
})
