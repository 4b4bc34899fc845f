import type { Resolvers } from '#generated/trust/resolvers.ts'
import { badInput, excerpt } from '../../../platform/graphql/errors.ts'
import { lowerCase, upperCase } from '../../../platform/text/case.ts'
import { decodeId, encodeId } from '../../toolkit/ids.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import type { InputFault } from '../input-fault.ts'
import { MAX_ENTRIES_PER_CHANGE, type NewListEntry, type OperatorListEntry, validateListEntry } from './operator-list.ts'

const ENTRIES: KeysetList<OperatorListEntry> = {
  name: 'operatorListEntries',
  parts: ['row'],
  positionOf: ({ id }) => [id],
}
/** Faulty entries that an answer names: their faults repeat. */
const MAX_FAULTY_ENTRIES = 10

export const operatorListResolvers = {
  Query: {
    operatorLists: async (_, __, { operatorLists, now }) =>
      (await operatorLists.status(now())).map((status) => ({ ...status, list: upperCase(status.list) })),
    operatorListEntries: async (_, { list, ...page }, { operatorKey, operatorLists }) => {
      await operatorKey()
      const range = keysetRange(ENTRIES, page)
      const name = lowerCase(list)
      return keysetPage(ENTRIES, range, await operatorLists.page(name, range), () => operatorLists.count(name))
    },
  },
  Mutation: {
    addOperatorListEntries: async (_, { input }, { operatorKey, operatorLists, lists, engine, now }) => {
      const { name } = await operatorKey()
      const { entries } = input
      if (entries.length < 1 || entries.length > MAX_ENTRIES_PER_CHANGE)
        throw badInput('entries', `1 to ${MAX_ENTRIES_PER_CHANGE} entries`, entries.length)
      const [list, at] = [lowerCase(input.list), now()]
      const read = entries.map(({ target, scope, reason, expiresAt }) =>
        validateListEntry(
          list,
          { target, scope: scope ? lowerCase(scope) : null, reason, expiresAt: expiresAt ?? null },
          at,
          engine,
        ),
      )
      const faulty = read.flatMap((each, index) => ('faults' in each ? [{ index, faults: each.faults }] : []))
      if (faulty.length > 0)
        return invalidEntries(
          faulty
            .slice(0, MAX_FAULTY_ENTRIES)
            .flatMap(({ index, faults }) => faults.map((fault) => ({ ...fault, field: `entries.${index}.${fault.field}` }))),
        )
      const wanted = read.flatMap((each): NewListEntry[] => ('entry' in each ? [each.entry] : []))
      const result = await operatorLists.add(list, wanted, { by: name, at })
      if (result.kind === 'too-many')
        return invalidEntries([
          { field: 'entries', code: 'too_many', message: `Expected at most ${result.max} entries: remove some first.` },
        ])
      lists.refresh()
      const { added, replaced, entries: stored } = result
      return { __typename: 'AddOperatorListEntriesSuccess', added, replaced, entries: [...stored] }
    },
    removeOperatorListEntry: async (_, { id }, { operatorKey, operatorLists, lists }) => {
      await operatorKey()
      const row = decodeId(id, 'OperatorListEntry')
      const entry = row === null ? null : await operatorLists.remove(row)
      if (entry === null)
        return { __typename: 'OperatorListEntryNotFound', message: `There is no list entry with the id ${excerpt(id)}.` }
      lists.refresh()
      return { __typename: 'RemoveOperatorListEntrySuccess', entry }
    },
  },
  OperatorListEntry: {
    id: ({ id }) => encodeId('OperatorListEntry', id),
    list: ({ list }) => upperCase(list),
    scope: ({ scope }) => upperCase(scope),
  },
  OperatorListEntryConnection: connectionFields,
} satisfies Resolvers

const invalidEntries = (faults: readonly InputFault[]) => ({
  __typename: 'InvalidOperatorListEntries' as const,
  message: faults.map(({ message }) => message).join(' '),
  faults,
})
