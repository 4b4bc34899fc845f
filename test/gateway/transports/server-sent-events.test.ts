import { expect, test } from 'vitest'
import { MAX_EVENT_CHARACTERS, parseEventStream } from '../../../gateway/transports/server-sent-events.ts'

const TWO = [
  { event: 'next', data: '{"a":\n1}' },
  { event: 'complete', data: '' },
]
const written = (end: string) =>
  ['event: next', 'data: {"a":', 'data:1}', '', ': a comment', 'event:complete', 'data', '', ''].join(end)

async function read(...pieces: readonly (string | Buffer)[]) {
  async function* chunks() {
    for (const piece of pieces) yield Buffer.from(piece)
  }
  const events: unknown[] = []
  for await (const event of parseEventStream(chunks())) events.push(event)
  return events
}

const ENDS = [
  { name: 'LF', end: '\n' },
  { name: 'CR LF', end: '\r\n' },
  { name: 'CR', end: '\r' },
]

test.each(ENDS)('lines may end with $name', async ({ end }) => {
  expect(await read(written(end))).toEqual(TWO)
})

test.each(ENDS)('wherever a stream of lines that end with $name is cut, its events are the same', async ({ end }) => {
  const text = written(end)
  for (let at = 1; at < text.length; at++) expect(await read(text.slice(0, at), text.slice(at))).toEqual(TWO)
  expect(await read(...text)).toEqual(TWO)
})

test('an event is delivered when its last line has ended, also when that ends with a CR whose LF is still to come', async () => {
  const pulled: string[] = []
  async function* chunks() {
    for (const piece of ['event: next\r\ndata: 1\r\n\r', '\nevent: next\r\ndata: 2\r\n\r\n']) {
      pulled.push(piece)
      yield Buffer.from(piece)
    }
  }
  const events = parseEventStream(chunks())
  expect([(await events.next()).value, pulled.length]).toEqual([{ event: 'next', data: '1' }, 1])
  expect([(await events.next()).value, pulled.length]).toEqual([{ event: 'next', data: '2' }, 2])
})

test('an event has its id, unless that cannot be the value of a header', async () => {
  const event = (id: string) => `id: ${id}\nevent: next\ndata: 1\n\n`
  const next = { event: 'next', data: '1' }
  expect(await read(event('7'), event(''), 'event: next\ndata: 1\n\n')).toEqual([{ ...next, id: '7' }, { ...next, id: '' }, next])
  for (const id of ['ä', 'a\u0000b', 'a\tb', ' 7', 'x'.repeat(1_001)]) expect(await read(event(id))).toEqual([next])
})

test('a character may be cut, and an event may be too long', async () => {
  const bytes = Buffer.from('event: next\ndata: ä\n\n')
  expect(await read(bytes.subarray(0, 19), bytes.subarray(19))).toEqual([{ event: 'next', data: 'ä' }])
  await expect(read('data: ', 'x'.repeat(MAX_EVENT_CHARACTERS))).rejects.toThrow('Expected events of at most')
})
