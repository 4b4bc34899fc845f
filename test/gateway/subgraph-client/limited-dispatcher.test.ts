import { Pool } from 'undici/index.js'
import { expect, onTestFinished, test } from 'vitest'
import { postRequest } from '../../../gateway/subgraph-client/http-exchange.ts'
import { createLimitedDispatcher } from '../../../gateway/subgraph-client/limited-dispatcher.ts'
import { aShop } from '../support/http-graph.ts'

/** A server that holds each request until it is released, and a sender of one at a time over three connections. */
async function oneAtATime() {
  const shop = await aShop()
  const held: (() => void)[] = []
  shop.always = ({ response, body }) => void held.push(() => response.end(body))
  const pool = new Pool(new URL(shop.url).origin, { connections: 3 })
  onTestFinished(() => pool.destroy())
  const limited = createLimitedDispatcher(() => pool, 1)
  const send = async (body: string, signal = new AbortController().signal) => {
    const answer = await postRequest(limited, { path: '/', headers: {}, body, signal })
    return 'bytes' in answer ? answer.bytes.toString() : String(answer.cause)
  }
  return { shop, pool, held, send }
}

test('requests beyond the limit wait for their turn, in order, and one that is given up meanwhile is never sent', async () => {
  const { shop, held, send } = await oneAtATime()
  const leaving = new AbortController()
  const answers = [send('a'), send('b', leaving.signal), send('c'), send('d')]
  await expect.poll(() => held.length).toBe(1)
  leaving.abort(new Error('gone'))
  expect(await answers[1]).toBe('Error: gone')
  for (let at = 0; at < 3; at++) {
    await expect.poll(() => held.length).toBe(at + 1)
    held[at]?.()
  }
  expect(await Promise.all(answers)).toEqual(['a', 'Error: gone', 'c', 'd'])
  expect(shop.requests.map(({ body }) => body)).toEqual(['a', 'c', 'd'])
})

test('a pool that is closed ends all that wait, however many', async () => {
  const { pool, held, send } = await oneAtATime()
  const answers = Array.from({ length: 20_000 }, (_, at) => send(String(at)))
  await expect.poll(() => held.length).toBe(1)
  await pool.destroy()
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['ClientDestroyedError: The client is destroyed']))
})
