import { expect, test } from 'vitest'
import { withoutTrailingSlashes } from '../../../platform/text/without-trailing-slashes.ts'

test.each([
  ['https://a.test/', 'https://a.test'],
  ['https://a.test/b//', 'https://a.test/b'],
  ['a', 'a'],
  ['/', ''],
  ['', ''],
])('%j without slashes at its end is %j', (text, expected) => {
  expect(withoutTrailingSlashes(text)).toBe(expected)
})
