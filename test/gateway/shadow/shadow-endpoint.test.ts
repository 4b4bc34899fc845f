import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { serveShadowReport } from '../../../gateway/shadow/shadow-endpoint.ts'
import type { ShadowReport } from '../../../gateway/shadow/shadow-traffic.ts'

const REPORT: ShadowReport = {
  verdicts: { same: 3, different: 1, run: 0, refused: 0, dropped: 0, failed: 0 },
  differences: [
    {
      signature: '0123456789ab',
      operationName: null,
      count: 2,
      firstAt: '2026-11-25T10:00:00.000Z',
      lastAt: '2026-11-25T11:00:00.000Z',
      differences: [{ part: 'data', path: 'goods.@.price', served: 'number', candidate: 'number', count: 3 }],
    },
  ],
}

test('the report is served as JSON and as text, to callers with the token', async () => {
  const app = Fastify()
  onTestFinished(() => app.close())
  const token = 'a-token-of-tests-0123'
  serveShadowReport(app, () => REPORT, token)
  const get = (headers: Record<string, string>) => app.inject({ url: '/shadow', headers })
  expect((await get({})).statusCode).toBe(401)
  expect((await get({ authorization: 'Bearer another-token-of-tests' })).statusCode).toBe(401)
  const authorization = `Bearer ${token}`
  expect((await get({ authorization })).json()).toEqual(REPORT)
  expect((await get({ authorization, accept: 'text/plain' })).body).toBe(
    [
      'same 3, different 1, run 0, refused 0, dropped 0, failed 0\n\n',
      '(anonymous) 0123456789ab: 2 times, last 2026-11-25T11:00:00.000Z\n',
      '  data.goods.@.price: number → number of another value, 3 times\n',
    ].join(''),
  )
})
