import { expect, test } from 'vitest'
import { parseKafkaUrl } from '../../../gateway/event-sources/kafka-url.ts'

test('a URL names brokers, TLS and a user', () => {
  expect(parseKafkaUrl('kafka://one:9093,two')).toEqual({
    brokers: [
      { host: 'one', port: 9093 },
      { host: 'two', port: 9092 },
    ],
    isTls: false,
    sasl: null,
  })
  expect(parseKafkaUrl('kafka://[::1]:9094/')?.brokers).toEqual([{ host: '::1', port: 9094 }])
  expect(parseKafkaUrl('kafka://ann:p%3Aa%2Fs@one,two')?.sasl).toEqual({
    mechanism: 'SCRAM-SHA-256',
    username: 'ann',
    password: 'p:a/s',
  })
  expect(parseKafkaUrl('kafkas://ann:b@one?mechanism=PLAIN')).toMatchObject({ isTls: true, sasl: { mechanism: 'PLAIN' } })
})

test.each([
  ['no broker', 'kafka://'],
  ['an empty broker in the list', 'kafka://one,,two'],
  ['a port that is none', 'kafka://one:99999'],
  ['a password in plain text', 'kafka://ann:b@one?mechanism=PLAIN'],
  ['a password without a user', 'kafka://:secret@one'],
  ['an unknown mechanism', 'kafkas://ann:b@one?mechanism=MD5'],
  ['an unknown parameter', 'kafka://one?topic=x'],
  ['a path', 'kafka://one/topic'],
  ['more than 20 brokers', `kafka://${Array(21).fill('one').join(',')}`],
  ['another scheme', 'http://one'],
])('a URL with %s is invalid', (_, url) => {
  expect(parseKafkaUrl(url)).toBeNull()
})
