import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../gateway/library/create-gateway.ts'
import { serveGateway } from '../../../gateway/library/serve-gateway.ts'
import { recordingLog } from '../support/graph.ts'
import { aCanary, twoSupergraphs } from './canary-graph.ts'

const command = (body: unknown): RequestInit => ({ method: 'POST', body: JSON.stringify(body) })

test('callers with the token change the share, roll back and promote', async () => {
  const { admin, priceFor, canary } = await aCanary()
  expect(await (await admin()).json()).toMatchObject({ candidate: { percent: 0 }, ended: null, comparison: null })
  const changed = await admin(command({ percent: 100 }))
  expect([changed.status, changed.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(await priceFor({})).toBe(2)
  const id = canary.status().candidate?.id
  expect(await (await admin(command({ action: 'rollback', candidate: id }))).json()).toMatchObject({
    candidate: null,
    versions: { candidate: { requests: 1, errors: 0 } },
    ended: { candidate: id, kind: 'rolled-back', reason: 'by an operator' },
  })
  expect(await priceFor({})).toBe(1)
  const again = await admin(command({ action: 'promote' }))
  expect([again.status, await again.json()]).toMatchObject([409, { error: { message: 'No candidate is running.' } }])
})

test('a command for another candidate than the running one does nothing', async () => {
  const { admin, canary } = await aCanary()
  const refused = await admin(command({ action: 'promote', candidate: '0123456789ab' }))
  expect([refused.status, await refused.json()]).toMatchObject([
    409,
    { error: { message: 'The candidate "0123456789ab" is not running.' } },
  ])
  expect(canary.status().candidate).not.toBeNull()
})

describe('refused', () => {
  test.each(['', 'Bearer another-token-of-tests'])('without the token: %s', async (authorization) => {
    const { admin, canary } = await aCanary()
    for (const init of [{}, command({ action: 'promote' })]) {
      expect((await admin({ ...init, headers: { authorization } })).status).toBe(401)
    }
    expect(canary.status().candidate).not.toBeNull()
  })

  test.each([
    undefined,
    null,
    'promote',
    {},
    { action: 'delete' },
    { percent: 101 },
    { percent: '5' },
    { action: 'promote', percent: 5 },
    { action: 'promote', candidate: 7 },
  ])('with the body %j', async (body) => {
    const { admin, canary } = await aCanary()
    const response = await admin(command(body))
    expect(response.status).toBe(400)
    expect(canary.status().candidate).toMatchObject({ percent: 0 })
  })

  test('a token without a candidate in the options, and a short token', async () => {
    const { supergraphs } = await twoSupergraphs()
    const gateway = await createGateway({ supergraph: supergraphs.served, log: recordingLog().log })
    await expect(serveGateway(gateway, { port: 0, canaryToken: 'a-token-of-tests-0123' })).rejects.toThrow(
      'Expected the gateway to have the option "canary"',
    )
    await gateway.close()
    const { gateway: other } = await aCanary()
    await expect(serveGateway(other, { port: 0, canaryToken: 'short' })).rejects.toThrow('at least 16 characters')
  })
})
