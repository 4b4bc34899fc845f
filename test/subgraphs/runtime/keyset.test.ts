import { expect, test } from 'vitest'
import { type KeysetList, keysetPage, rangeOf } from '../../../subgraphs/runtime/keyset.ts'

const LIST: KeysetList<number> = { name: 'numbers', parts: ['number'], positionOf: (number) => [number] }

test.each([
  { why: 'the first page has everything', asked: { first: 3 }, read: [1, 2, 3], counts: 0, count: 3 },
  { why: 'there is nothing', asked: { first: 3 }, read: [], counts: 0, count: 0 },
  { why: 'there are more', asked: { first: 3 }, read: [1, 2, 3, 4], counts: 1, count: 99 },
  { why: 'the page is behind others', asked: { first: 3, offset: 3 }, read: [4], counts: 1, count: 99 },
  { why: 'the page is behind everything', asked: { first: 3, offset: 99 }, read: [], counts: 1, count: 99 },
  { why: 'the page begins with a cursor', asked: { first: 3, after: 3 }, read: [4], counts: 1, count: 99 },
])('a list is counted by the database only where its rows do not tell: $why', async ({ asked, read, counts, count }) => {
  const { after, ...given } = { after: null, ...asked }
  const range = rangeOf(LIST, { ...given, after: after === null ? null : cursorOf(after) })
  let counted = 0
  const page = keysetPage(LIST, range, read, async () => {
    counted += 1
    return 99
  })
  expect(counted).toBe(0)
  expect([await page.count(), counted]).toEqual([count, counts])
})

/** Of the page that ends with this number. */
const cursorOf = (number: number): string | null =>
  keysetPage(LIST, { size: 1, after: null, offset: 0 }, [number], async () => 0).pageInfo.endCursor
