import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { readableLine } from '../../../platform/process/log-line.ts'

const said = (record: object) =>
  stripVTControlCharacters(readableLine(JSON.stringify({ level: 30, time: 0, pid: 1, hostname: 'vm', ...record })))

test('a request is its method, path, status and time', () => {
  const line = said({
    msg: 'request',
    requestId: 'x',
    method: 'GET',
    path: '/search',
    status: 200,
    ms: 12.6,
    address: '127.0.0.1',
  })
  expect(line).toMatch(/^\d\d:\d\d:\d\d info {2}GET \/search 200 13 ms\n$/)
})

test('another line is its message with what belongs to it; long lists are counted', () => {
  expect(said({ level: 40, msg: 'a list could not be refreshed', list: 'tranco', applied: [1, 2, 3, 4] })).toMatch(
    /warn {2}a list could not be refreshed list=tranco applied=4 values\n$/,
  )
})

test('a fault has its stack below', () => {
  expect(said({ level: 50, msg: 'failed', err: { message: 'no', stack: 'Error: no\n    at x' } })).toMatch(
    /failed\nError: no\n {4}at x\n$/,
  )
})

test('nothing that a client chose moves the cursor or colours the terminal', () => {
  const line = readableLine(
    JSON.stringify({ level: 30, time: 0, msg: 'request', method: 'GET', path: '/\u001b[2J\r\u202e', status: 200, ms: 1 }),
  )
  expect(stripVTControlCharacters(line)).toContain('GET /\\u001b[2J\\u000d\\u202e 200 1 ms')
})

test('what is no JSON stays as it is', () => {
  expect(readableLine('plain\n')).toBe('plain\n')
})
