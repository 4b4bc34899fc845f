import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { OperationsPageDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import type { History } from '../../gateway/history.ts'
import { compressAnswers, type ReadinessCheck, readinessOf } from '../../gateway/server.ts'
import type { Counting } from '../../subgraphs/runtime/counting.ts'
import { networkOf } from '../../subgraphs/runtime/rate-limit.ts'
import { askOf, sendPage } from '../frame/serve.ts'
import type { Site } from '../frame/site.ts'
import { operationsPage } from './page.ts'

/** A minute, from one address; further ones are not even compared. Right ones cost nothing. */
const GUESSES_PER_MINUTE = 10

/** What the page shows beside what the graph knows. */
export type Operations = {
  /** The password, whatever the user's name. */
  readonly token: string
  readonly history: History
  readonly checks: readonly ReadinessCheck[]
  /** Subgraphs over HTTP, and whether they are asked. */
  readonly circuits: () => readonly { readonly name: string; readonly state: string }[]
  /** Where guesses are counted. */
  readonly counting: Counting
}

/** Serves `/operations` to whoever knows the token: a browser asks for it by itself (HTTP Basic), keeps it until it is closed, and sends it nowhere else. */
export async function serveOperations(
  app: FastifyInstance,
  client: GatewayClient,
  { token, history, checks, circuits, counting }: Operations,
  site: Site,
): Promise<void> {
  await client.prepare(OperationsPageDocument)
  const expected = digestOf(token)
  const guesses = counting.buckets('passwords of operations', GUESSES_PER_MINUTE)
  await app.register(async (scope) => {
    compressAnswers(scope)
    scope.get('/operations', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const password = passwordIn(request.headers.authorization)
      // Browsers ask without a password first.
      const guess = await guesses(networkOf(request.ip), password === '' ? 0 : 1)
      if (!guess.isGranted) {
        return reply
          .code(429)
          .header('retry-after', String(guess.waitSeconds))
          .type('text/plain; charset=utf-8')
          .send(`Too many wrong passwords from this address: try again in ${guess.waitSeconds} seconds.\n`)
      }
      // Digests have one length, so comparing them tells nothing about the token.
      const isRight = timingSafeEqual(digestOf(password), expected)
      if (!isRight) {
        return reply
          .code(401)
          .header('www-authenticate', 'Basic realm="Atrium operations", charset="UTF-8"')
          .type('text/plain; charset=utf-8')
          .send('Expected the password in OPERATIONS_TOKEN, with any user name.\n')
      }
      await guesses(networkOf(request.ip), -1)
      const [answer, readiness] = await Promise.all([
        askOf(client, request, reply)(OperationsPageDocument, {}),
        readinessOf(checks, request.log as never),
      ])
      const page = operationsPage({ samples: history.samples(), readiness, circuits: circuits(), data: answer.data })
      return sendPage(reply, page, site, 'no-store')
    })
  })
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The password of HTTP Basic (RFC 7617); empty when there is none. */
function passwordIn(authorization: string | undefined): string {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '') ?? []
  const pair = Buffer.from(encoded ?? '', 'base64').toString()
  return pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : ''
}
