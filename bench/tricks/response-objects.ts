/**
 * What the classes of response objects are worth (gateway/executor/response-object.ts): filling
 * objects key by key, and writing them as JSON.
 *
 *   node bench/tricks/response-objects.ts [--rounds N (40)]
 *
 * The first rows compare a class per selection with `Object.create(null)`, which is as safe for
 * every response key; the others compare room by assignments that never happen with a class
 * without them.
 */
import { type ResponseObjectClass, responseObjectClass } from '../../gateway/executor/response-object.ts'
import { compare } from './turns.ts'

const OBJECTS = 100
const NOTHING: object = Object.freeze(Object.create(null))

/** A class that assigns nothing, whatever the number of keys. */
function plainClass(): ResponseObjectClass {
  const Answer = function Answer() {} as unknown as ResponseObjectClass
  Answer.prototype = NOTHING
  return Answer
}

const keysOf = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `field${index}`)

/** As an executor fills them: by keys of a list, which are not constants of the program. */
const filled = (make: () => Record<string, unknown>, keys: readonly string[]): (() => Record<string, unknown>[]) => {
  const values = keys.map((_, index) => (index % 3 === 0 ? index : `value ${index}`))
  return () => {
    const all: Record<string, unknown>[] = []
    for (let index = 0; index < OBJECTS; index++) {
      const object = make()
      for (let at = 0; at < keys.length; at++) object[keys[at] as string] = values[at]
      all.push(object)
    }
    return all
  }
}

/** In an object literal without a prototype, as a reader would write it first. */
const withoutPrototype = (): Record<string, unknown> => Object.create(null)

for (const count of [3, 10]) {
  const keys = keysOf(count)
  const Own = responseObjectClass(count)
  const [own, other] = [filled(() => new Own(), keys), filled(withoutPrototype, keys)]
  await compare(`class or Object.create(null), ${count} keys, filled`, own, other)
  await compare(
    `class or Object.create(null), ${count} keys, with JSON`,
    () => JSON.stringify(own()),
    () => JSON.stringify(other()),
  )
}

for (const count of [13, 20, 30, 40]) {
  const keys = keysOf(count)
  const [Own, Plain] = [responseObjectClass(count), plainClass()]
  const [own, other] = [filled(() => new Own(), keys), filled(() => new Plain(), keys)]
  await compare(`room by assignments or none, ${count} keys, filled`, own, other)
  await compare(
    `room by assignments or none, ${count} keys, with JSON`,
    () => JSON.stringify(own()),
    () => JSON.stringify(other()),
  )
}
