import { expect, test } from 'vitest'
import { createEndedSessions } from '../../../web/operations/ended-sessions.ts'

const LIFETIME_MS = 1_000
let at = 0
const now = () => at
const aSession = (name: string, begunAt = at) => ({ formToken: name, begunAt })

test('beyond a thousand ended sessions all that have begun end, and later ones do not', () => {
  at = 100
  const ended = createEndedSessions({ lifetimeMs: LIFETIME_MS, now })
  const [first, open] = [aSession('first'), aSession('open')]
  ended.end(first)
  for (let count = 1; count < 1_000; count++) ended.end(aSession(`session ${count}`))
  expect([ended.has(first), ended.has(open)]).toEqual([true, false])
  ended.end(aSession('one more'))
  expect([ended.has(first), ended.has(open), ended.has(aSession('new', 101))]).toEqual([true, true, false])
})

test('sessions whose cookies have expired make room', () => {
  at = 100
  const ended = createEndedSessions({ lifetimeMs: LIFETIME_MS, now })
  for (let count = 0; count < 1_000; count++) ended.end(aSession(`old ${count}`))
  at += LIFETIME_MS
  const open = aSession('open')
  ended.end(aSession('new'))
  expect(ended.has(open)).toBe(false)
})
