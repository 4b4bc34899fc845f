import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createHttpServer } from '../../../platform/http/server.ts'

test('lines that are logged within a request have its id, under the name that errors and answers use', async () => {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const app = createHttpServer({ log })
  app.get('/', async (request) => {
    request.log.info('within')
    return 'done'
  })
  const { headers } = await app.inject('/')
  await app.close()
  expect(headers['x-request-id']).toMatch(/\S/)
  expect(lines.find(({ msg }) => msg === 'within')).toMatchObject({ requestId: headers['x-request-id'] })
})
