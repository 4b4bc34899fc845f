import { expect, test } from 'vitest'
import { labelsIn, packLabels } from '../../../../subgraphs/trust/collectors/popular-labels.ts'

const names = Array.from({ length: 20_000 }, (_, number) => `label-${number}.${['com', 'co.uk', 'net'][number % 3]}`)

test('every label has the suffixes that it was packed with, the most frequent first', () => {
  const { suffixesOf } = labelsIn(packLabels([...names, 'label-1.com', 'label-1.net', 'v.com', 'w.com', 'x.com', 'y.co.uk']))
  for (const name of names.slice(5))
    expect(suffixesOf(name.slice(0, name.indexOf('.')))).toEqual([name.slice(name.indexOf('.') + 1)])
  expect(suffixesOf('label-1')).toEqual(['com', 'co.uk', 'net'])
})

test('other labels have none, but for one of many by chance', () => {
  const { suffixesOf } = labelsIn(packLabels(names))
  const found = Array.from({ length: 100_000 }, (_, number) => suffixesOf(`other-${number}`)).filter(({ length }) => length > 0)
  expect(found.length).toBeLessThanOrEqual(1)
  expect(suffixesOf('')).toEqual([])
})

test('names under rare suffixes are left out, and a table that was cut is refused', () => {
  const many = Array.from({ length: 300 }, (_, number) => `name.suffix-${number}`)
  const { suffixesOf } = labelsIn(packLabels([...names, ...many]))
  expect(suffixesOf('name').length).toBe(256 - 3)
  const packed = packLabels(names)
  expect(() => labelsIn(packed.subarray(0, packed.length - 1))).toThrow(RangeError)
})
