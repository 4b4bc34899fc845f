import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { responseObjectClass } from '../../../gateway/executor/response-object.ts'

setFlagsFromString('--allow-natives-syntax')
const isCompact: (object: object) => boolean = runInNewContext('(object) => %HasFastProperties(object)')

test.each([1, 12, 13, 26, 36, 60])('V8 makes no hash table of an object with %i keys', (count) => {
  const Answer = responseObjectClass(count)
  const keys = Array.from({ length: count }, (_, index) => (index === 0 ? '__proto__' : `key${index}`))
  const objects = Array.from({ length: 20 }, () => {
    const answer = new Answer()
    for (const key of keys) answer[key] = key
    return answer
  })
  expect(objects.map(isCompact)).toEqual(objects.map(() => true))
  for (const answer of objects) {
    expect(Object.entries(answer)).toEqual(keys.map((key) => [key, key]))
    expect(answer.toString).toBeUndefined()
  }
})
