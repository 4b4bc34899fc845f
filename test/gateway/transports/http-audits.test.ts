import type { FastifyInstance } from 'fastify'
import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveGraphql } from '../../../gateway/transports/http.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { localGraph, recordingLog } from '../support/graph.ts'

let app: FastifyInstance
let url: string
beforeAll(async () => {
  const { gateway } = await localGraph()
  app = createHttpServer({ log: recordingLog().log })
  await serveGraphql(app, gateway)
  url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/graphql`
})
afterAll(() => app.close())

const audits = serverAudits({ url: () => url })

/** What the specification allows and we do not do, by the id of the audit. */
const REFUSED: Readonly<Record<string, string>> = {
  '5A70': 'a GET without a header that only programs set can be sent by any page',
  D6D5: 'the same',
  '6A70': 'the same',
}

test.each(audits.map(({ id, name, fn }) => ({ id, name, fn })))('$id $name', async ({ id, name, fn }) => {
  const result = await fn()
  const why = REFUSED[id]
  if (why === undefined) expect(result).toMatchObject({ status: 'ok' })
  else expect([name.slice(0, 4), result.status]).toEqual(['MAY ', 'notice'])
})

test('the list of what we do not do names nothing else', () => {
  const ids = audits.map(({ id }) => id)
  expect(Object.keys(REFUSED).filter((id) => !ids.includes(id))).toEqual([])
  expect(ids.length).toBeGreaterThan(60)
})
