import { expect, test } from 'vitest'
import {
  isSerializedResult,
  keepResult,
  lendBytes,
  serializedBytes,
  serializedResult,
} from '../../../gateway/operations/serialized-result.ts'

const TEXT = JSON.stringify({ data: { title: 'a long text'.repeat(10_000) } })

/** A result whose bytes have memory of their own, and these bytes. */
function resultWithBytes(isFreeable = true) {
  const bytes = Buffer.allocUnsafeSlow(TEXT.length)
  bytes.write(TEXT)
  return { bytes, result: serializedResult(bytes, isFreeable) }
}

test('bytes that only one response has are freed when it is sent', () => {
  const { bytes, result } = resultWithBytes()
  const lent = lendBytes(result)
  expect(String(lent?.bytes)).toBe(TEXT)
  lent?.free()
  lent?.free()
  expect(bytes.length).toBe(0)
  expect(isSerializedResult(result)).toBe(true)
  expect(() => result.data).toThrow('Expected a result whose response has not been sent yet.')
  expect(() => serializedBytes(result)).toThrow('Expected a result whose response has not been sent yet.')
})

test.each<[who: string, use: (result: object) => unknown]>([
  ['who keeps the result', keepResult],
  ['who has its bytes', serializedBytes],
  ['a second response', lendBytes],
])('they stay for %s, before the loan and during it', (_, use) => {
  for (const isBefore of [true, false]) {
    const { bytes, result } = resultWithBytes()
    if (isBefore) use(result)
    const lent = lendBytes(result)
    if (!isBefore) use(result)
    lent?.free()
    expect(String(bytes)).toBe(TEXT)
    expect(JSON.stringify(result)).toBe(TEXT)
  }
})

test('bytes that something else has are never freed, nor are parts of a larger buffer', () => {
  const { bytes, result } = resultWithBytes(false)
  lendBytes(result)?.free()
  expect(String(bytes)).toBe(TEXT)
  const larger = Buffer.alloc(TEXT.length + 1, `${TEXT}\n`)
  lendBytes(serializedResult(larger.subarray(0, -1), true))?.free()
  expect(String(larger)).toBe(`${TEXT}\n`)
})
