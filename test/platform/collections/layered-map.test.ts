import { expect, test } from 'vitest'
import { layeredMap } from '../../../platform/collections/layered-map.ts'

const pause = () => null

test('a layered map has the entries of its versions, before and after changes are moved', async () => {
  const wanted = new Map(Array.from({ length: 100 }, (_, key) => [key, `first ${key}`]))
  const first = layeredMap(new Map(wanted))
  let map = first
  for (let version = 0; version < 4; version += 1) {
    // The last versions have more changes than may stay beside the large map.
    const count = version < 2 ? 30 : 6_000
    const changes = new Map<number, string | undefined>()
    for (let at = 0; at < count; at += 1) {
      const key = at * 3 + version
      changes.set(key, at % 4 === 0 ? undefined : `${version} ${key}`)
    }
    for (const [key, value] of changes) {
      if (value === undefined) wanted.delete(key)
      else wanted.set(key, value)
    }
    map = await map.with(changes, pause)
    const entries = [...map.entries()]
    expect(entries.length).toBe(wanted.size)
    expect(new Map(entries)).toEqual(wanted)
    for (let key = 0; key < 200; key += 1) expect(map.get(key)).toBe(wanted.get(key))
  }
  // A version is not changed by later ones.
  expect([...first.entries()]).toEqual(Array.from({ length: 100 }, (_, key) => [key, `first ${key}`]))
})
