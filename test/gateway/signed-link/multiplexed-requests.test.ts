import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { parse } from 'graphql'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { answerMultiplexed } from '../../../gateway/signed-link/multiplexed-requests.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { recordingLog } from '../support/graph.ts'

const { log, lines } = recordingLog()
const REQUEST = {
  query: '{ now }',
  operationName: undefined,
  variables: '{}',
  headers: {},
  grantedScopes: null,
  peer: '10.0.0.7',
}

let app: FastifyInstance
beforeEach(() => {
  lines.length = 0
  app = createHttpServer({ log, loadLimit: 1_000 })
})
afterEach(() => app.close())

const answering = (data: Record<string, unknown>) =>
  answerMultiplexed(app, { link: { name: 'ticking', execute: async () => ({ data }) }, documentOf: parse, log, metrics: null })

test('a request that its gateway gives up before its turn makes room at once, and is not begun', async () => {
  const answer = answering({ now: 1 })
  // The processor is short and more arrives, so that requests wait for their turn.
  const first = app.load.limit()
  while (app.load.limit() === first) {
    app.load.onConnection()
    const end = performance.now() + 20
    while (performance.now() < end);
    await turn()
  }
  const leaving = new AbortController()
  const left = answer(REQUEST, leaving.signal)
  const stays = answer(REQUEST, new AbortController().signal)
  expect(app.load.inFlight()).toBe(2)
  leaving.abort(new Error('gone'))
  expect(app.load.inFlight()).toBe(1)
  expect(await left).toBeNull()
  expect(await stays).toEqual({ head: '', body: '{"data":{"now":1}}' })
  expect(app.load.inFlight()).toBe(0)
})

test('an answer that JSON has no text for is one fault, and in the log', async () => {
  const answered = await answering({ now: 1n })(REQUEST, new AbortController().signal)
  const { data, errors } = JSON.parse(answered && 'body' in answered ? answered.body : '')
  expect([data, errors]).toMatchObject([null, [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }]])
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'a request failed' }))
  expect(app.load.inFlight()).toBe(0)
})
