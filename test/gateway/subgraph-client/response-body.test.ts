import diagnosticsChannel from 'node:diagnostics_channel'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { receiveBody } from '../../../gateway/subgraph-client/response-body.ts'

const CHUNK = 40_000
/** Chunks as sockets give them: each with memory of its own. */
const chunksOf = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const chunk = Buffer.allocUnsafeSlow(CHUNK)
    return chunk.fill(index + 1)
  })

test.each<[why: string, length: string | undefined, count: number, areFreed: boolean]>([
  ['a known length', `${3 * CHUNK}`, 3, true],
  ['no length', undefined, 3, false],
  ['a length above the bound', '10000001', 3, false],
  ['a length that is no number', 'many', 3, false],
  ['one chunk, which is the body', `${CHUNK}`, 1, false],
  ['less than the length', `${4 * CHUNK}`, 3, true],
  ['more than the length', `${2 * CHUNK + 1}`, 4, false],
  ['nothing', undefined, 0, false],
])('a body of %s is complete', async (_, length, count, areFreed) => {
  const chunks = chunksOf(count)
  const expected = Buffer.concat(chunks)
  const body = receiveBody(length === undefined ? {} : { 'content-length': length })
  for (const chunk of chunks) body.add(chunk)
  await nextTurn()
  expect(body.bytes().equals(expected)).toBe(true)
  expect(chunks.length > 0 && chunks.every((chunk) => chunk.length === 0)).toBe(areFreed)
})

test('chunks that are parts of a larger buffer, or published to programs, are not freed', async () => {
  const read = Buffer.allocUnsafeSlow(CHUNK).fill(7)
  const parts = receiveBody({ 'content-length': `${2 * CHUNK}` })
  parts.add(read.subarray(1))
  await nextTurn()
  expect(read.length).toBe(CHUNK)

  const listener = (): void => {}
  diagnosticsChannel.subscribe('undici:request:bodyChunkReceived', listener)
  const published = receiveBody({ 'content-length': `${2 * CHUNK}` })
  published.add(read)
  await nextTurn()
  diagnosticsChannel.unsubscribe('undici:request:bodyChunkReceived', listener)
  expect(read.length).toBe(CHUNK)
})
