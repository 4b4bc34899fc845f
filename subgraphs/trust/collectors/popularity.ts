import { Fault } from '../../../platform/outbound/fault.ts'
import type { Collector } from './collector.ts'

const HOUR_SECONDS = 3_600

/** Looks up the registrable domain in the local copies of popularity lists. */
export const collectPopularity: Collector<'popularity'> = async ({ subject: { registrable }, parts }) => {
  const names = parts.configured.filter(({ kind }) => kind === 'popularity').map(({ name }) => name)
  if (names.length === 0) return { status: 'skipped', reason: 'not_configured', validFor: HOUR_SECONDS }
  if (registrable === null) return { status: 'skipped', reason: 'not_applicable', validFor: HOUR_SECONDS }
  const [states, entries] = await Promise.all([parts.lists.states(names), parts.lists.find(names, [registrable])])
  const loaded = states.flatMap(({ edition }) => edition ?? [])
  if (loaded.length === 0) throw new Fault('unavailable', 'no popularity list was loaded yet')
  const ids = new Map(loaded.map(({ list, version, asOf }) => [list, `${version.slice(0, 12)} ${day(asOf)}`]))
  const ranks = entries.flatMap(({ list, rank }) => (rank === null ? [] : [{ list, listId: ids.get(list) ?? '', rank }]))
  return {
    status: 'ok',
    facts: { ranks },
    version: [...ids].map(([list, id]) => `${list} ${id}`).join(', '),
    validFor: 6 * HOUR_SECONDS,
  }
}

const day = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)
