import { expect, test } from 'vitest'
import { lazyMembers } from '../../../subgraphs/toolkit/lazy-members.ts'

test('a member is created once per object, at its first use', () => {
  const made: string[] = []
  const partsOf = lazyMembers<[name: string, times: number]>()(
    (name) => {
      made.push(`greetings of ${name}`)
      return { hello: `Hello ${name}`, bye: `Bye ${name}` }
    },
    (name, times) => {
      made.push(`echo of ${name}`)
      return { echo: name.repeat(times) }
    },
  )
  // The first object teaches the names.
  partsOf('nobody', 0)
  made.length = 0

  const [ann, bob] = [partsOf('Ann', 2), partsOf('Bob', 3)]
  expect(made).toEqual([])
  expect([ann.bye, ann.hello, bob.echo, bob.echo]).toEqual(['Bye Ann', 'Hello Ann', 'BobBobBob', 'BobBobBob'])
  expect(made).toEqual(['greetings of Ann', 'echo of Bob'])
})
