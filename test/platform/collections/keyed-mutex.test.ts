import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { keyedMutex } from '../../../platform/collections/keyed-mutex.ts'

test('work of one key is done in its order, one piece at a time; work of another does not wait', async () => {
  const inTurn = keyedMutex('pieces')
  const said: string[] = []
  const piece = (key: string, name: string, milliseconds: number) =>
    inTurn(key, async () => {
      said.push(`${name} begins`)
      await sleep(milliseconds)
      said.push(`${name} ends`)
      return name
    })
  const all = await Promise.all([piece('a', 'first', 20), piece('a', 'second', 0), piece('b', 'other', 0)])
  expect(all).toEqual(['first', 'second', 'other'])
  expect(said).toEqual(['first begins', 'other begins', 'other ends', 'first ends', 'second begins', 'second ends'])
})

test('one that fails is the only one that does', async () => {
  const inTurn = keyedMutex('pieces')
  const failing = inTurn('a', async () => {
    throw new Error('broken')
  })
  const next = inTurn('a', async () => 'done')
  await expect(failing).rejects.toThrow('broken')
  expect(await next).toBe('done')
})

test('a task that waited too long does not start, and those behind do not wait for it', async () => {
  const inTurn = keyedMutex('pieces', 50)
  const first = inTurn('a', () => sleep(80, 'first'))
  let begun = 0
  const late = inTurn('a', async () => begun++)
  await sleep(60)
  const next = inTurn('a', async () => 'next')
  await expect(late).rejects.toMatchObject({
    message: 'Too many pieces: try again in 5 seconds.',
    extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 5 },
  })
  expect(await Promise.all([first, next])).toEqual(['first', 'next'])
  expect(begun).toBe(0)
})
