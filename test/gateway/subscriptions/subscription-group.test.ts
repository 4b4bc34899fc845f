import { setImmediate as turn } from 'node:timers/promises'
import { GraphQLError } from 'graphql'
import { expect, test } from 'vitest'
import type { ExecutionResult } from '../../../gateway/operations/execution-result.ts'
import type { Running } from '../../../gateway/subscriptions/subscribe.ts'
import { subscriptionGroup } from '../../../gateway/subscriptions/subscription-group.ts'

type Event = { readonly number: number }

/** A source that tells what it is given, and members that are judged one by one. */
function aGroup() {
  const waiting: Event[] = []
  let wake: ((result: IteratorResult<unknown>) => void) | null = null
  const seen = { worked: 0, ended: 0, returned: 0, released: [] as string[] }
  const group = subscriptionGroup(
    {
      next: () =>
        new Promise((resolve) => {
          const event = waiting.shift()
          if (event) resolve({ done: false, value: event })
          else wake = resolve
        }),
      return: () => void seen.returned++,
      execute: (event) => {
        seen.worked++
        return { data: event as Event }
      },
      fault: (error) => (error as GraphQLError).toJSON(),
      isPersonal: false,
    },
    () => void seen.ended++,
  )
  const happen = (number: number) => {
    if (wake) wake({ done: false, value: { number } })
    else waiting.push({ number })
    wake = null
  }

  function join(name: string, { done = 0, isSlow = false } = {}) {
    const rights = { mayRead: true, isThere: true, isStillAllowed: true }
    const received: unknown[] = []
    const delivered: number[] = []
    const held: (() => void)[] = []
    const subscriber = {
      isNew: (event: unknown) => (event as Event).number > done,
      mayReceive: async () => {
        if (!rights.mayRead) throw new GraphQLError(`${name} may not.`)
        return rights.isThere
      },
      delivered: (event: unknown) => void delivered.push((event as Event).number),
      release: () => void seen.released.push(name),
    }
    const stillAllowed = async () => rights.isStillAllowed
    const running = group.join(() => {}, { subscriber, stillAllowed }) as Running
    running.follow({
      deliver(payload: ExecutionResult, taken) {
        received.push((payload.data as Event).number)
        if (isSlow) held.push(taken)
        else taken()
      },
      end(errors) {
        received.push(errors?.[0]?.message ?? 'end')
        running.return()
      },
    })
    return { rights, received, delivered, running, read: () => held.splice(0).forEach((taken) => void taken()) }
  }
  return { join, happen, seen }
}

test('a member without permission gets an error and ends alone; the event is computed once', async () => {
  const { join, happen, seen } = aGroup()
  const [ann, ben, carol] = [join('ann'), join('ben'), join('carol')]
  happen(1)
  await turn()
  ben.rights.mayRead = false
  carol.rights.isStillAllowed = false
  happen(2)
  await turn()
  happen(3)
  await turn()
  expect([ann.received, ben.received]).toEqual([
    [1, 2, 3],
    [1, 'ben may not.'],
  ])
  expect(carol.received).toEqual([1, expect.stringContaining('has changed')])
  expect(seen).toEqual({ worked: 3, ended: 0, returned: 0, released: ['carol', 'ben'] })
  ann.running.return()
  expect(seen).toEqual({ worked: 3, ended: 1, returned: 1, released: ['carol', 'ben', 'ann'] })
})

test('permission is checked at delivery, not when the event happened, and delays no other member', async () => {
  const { join, happen } = aGroup()
  const [slow, quick] = [join('slow', { isSlow: true }), join('quick')]
  for (const number of [1, 2, 3]) {
    happen(number)
    await turn()
  }
  expect([slow.received, quick.received]).toEqual([[1], [1, 2, 3]])
  // Delivered is what its network took.
  expect([slow.delivered, quick.delivered]).toEqual([[], [1, 2, 3]])
  slow.read()
  await turn()
  expect([slow.received, slow.delivered]).toEqual([[1, 2], [1]])
  slow.rights.mayRead = false
  slow.read()
  await turn()
  expect([slow.received, slow.delivered]).toEqual([
    [1, 2, 'slow may not.'],
    [1, 2],
  ])
})

test('what a member was delivered before it joined, and what is gone since, is skipped', async () => {
  const { join, happen } = aGroup()
  const [early, late] = [join('early'), join('late', { done: 2 })]
  for (const number of [1, 2, 3]) {
    happen(number)
    await turn()
  }
  early.rights.isThere = false
  happen(4)
  await turn()
  early.rights.isThere = true
  happen(5)
  await turn()
  expect([early.received, late.received]).toEqual([
    [1, 2, 3, 5],
    [3, 4, 5],
  ])
  expect(early.delivered).toEqual([1, 2, 3, 4, 5])
})

test('a member that is 1,000 events behind gets all of them without a growing stack; one that leaves during the check gets none', async () => {
  const { join, happen } = aGroup()
  const [slow, leaving] = [join('slow', { isSlow: true }), join('leaving')]
  happen(1)
  leaving.running.return()
  await turn()
  for (let number = 2; number <= 1_001; number++) {
    happen(number)
    await turn()
  }
  while (slow.received.length < 1_001) {
    slow.read()
    await turn()
  }
  expect(slow.received).toEqual(Array.from({ length: 1_001 }, (_, index) => index + 1))
  expect(leaving.received).toEqual([])
})

test('a member that is more than 1,000 events behind is cut off with the reason; the others go on', async () => {
  const { join, happen, seen } = aGroup()
  const [stuck, quick] = [join('stuck', { isSlow: true }), join('quick')]
  for (let number = 1; number <= 1_001; number++) {
    happen(number)
    await turn()
  }
  expect(stuck.received).toEqual([1])
  happen(1_002)
  await turn()
  expect(stuck.received).toEqual([1, expect.stringContaining('More than 1000 events')])
  expect(seen.released).toEqual(['stuck'])
  happen(1_003)
  await turn()
  expect([stuck.received.length, quick.received.length]).toEqual([2, 1_003])
})
