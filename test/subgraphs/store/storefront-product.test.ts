import { expect, test } from 'vitest'
import { editDistance, nearestWords } from '../../../subgraphs/store/storefront-product/spelling.ts'

test.each([
  ['linen', 'linen', 0],
  ['lienn', 'linen', 1],
  ['shrit', 'shirt', 1],
  ['mug', 'mugs', 1],
  ['plate', 'later', 2],
  ['abcdef', 'zyxwvu', 3],
])('%s is %s but for %i edits', (one, other, edits) => expect(editDistance(one, other, 2)).toBe(edits))

test('longer words than the query are compared by their beginning', () => {
  expect(nearestWords('notebok', ['notebooks', 'notary', 'note'])).toEqual(['notebooks'])
})
