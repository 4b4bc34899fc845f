import { expect, test } from 'vitest'
import { boundedCache } from '../../../platform/collections/bounded-cache.ts'

const filled = (keys: string, bounds: { maxEntries?: number; maxCharacters?: number } = {}) => {
  const cache = boundedCache<string>({ maxEntries: 3, maxCharacters: 10, ...bounds })
  for (const key of keys.split(' ')) cache.set(key, `of ${key}`)
  return cache
}
const held = (cache: ReturnType<typeof filled>, keys: string) =>
  keys
    .split(' ')
    .filter((key) => cache.get(key) !== undefined)
    .join(' ')

test('what was not used is forgotten first, and the oldest of that', () => {
  const cache = filled('a b c')
  cache.get('a')
  cache.set('d', 'of d')
  cache.set('e', 'of e')
  expect(held(cache, 'a b c d e')).toBe('a d e')
  expect(cache.get('a')).toBe('of a')
})

test('what is deleted is gone, and leaves its room', () => {
  const cache = filled('a b c')
  cache.delete('b')
  cache.delete('unknown')
  cache.set('d', 'of d')
  expect([held(cache, 'a b c d'), cache.size()]).toEqual(['a c d', 3])
})

test('what was used has one more chance, not more', () => {
  const cache = filled('a b c')
  cache.get('a')
  for (const key of ['d', 'e', 'f']) cache.set(key, `of ${key}`)
  expect(held(cache, 'a b c d e f')).toBe('d e f')
})

test('what is new has room, also where all was used', () => {
  const cache = filled('a b c')
  for (const key of ['a', 'b', 'c']) cache.get(key)
  cache.set('d', 'of d')
  expect(held(cache, 'a b c d')).toBe('b c d')
})

test('no more characters are held than may be', () => {
  const cache = filled('aa bb cc', { maxEntries: 100 })
  cache.set('eight888', 'of eight888')
  expect(held(cache, 'aa bb cc eight888')).toBe('cc eight888')
  cache.set('longer than ten', 'of that')
  expect(held(cache, 'cc eight888')).toBe('cc eight888')
  expect(cache.size()).toBe(2)
})

test('what is set again has its new value, and counts once', () => {
  const cache = filled('a b c')
  cache.set('a', 'anew')
  expect([cache.get('a'), cache.size()]).toEqual(['anew', 3])
  const long = filled('four', { maxCharacters: 8 })
  for (let times = 0; times < 5; times += 1) long.set('four', 'anew')
  long.set('five', 'of five')
  expect(held(long, 'four five')).toBe('four five')
})
