import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How the way to Atrium behaves: as it should, silent, or answering for it. */
export type Mood = 'up' | 'slow' | 'garbage' | 'sixth action' | 'fault' | 'too many' | 'redirect' | 'cut off' | 'endless'
export const WRONG: readonly Mood[] = ['garbage', 'sixth action', 'fault', 'too many', 'redirect', 'cut off', 'endless']

/** What a client waits for an answer that comes: a busy machine may take more than the default. */
export const PATIENT_MS = 60_000

/** A server in front of a running Atrium that passes on what it is asked, or does not. */
export async function startProxy(atrium: string) {
  let mood: Mood = 'up'
  const requests: { readonly path: string; readonly body: string; readonly key: string | undefined }[] = []
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('')
    requests.push({ path: request.url ?? '', body, key: request.headers['x-api-key'] as string | undefined })
    const json = { 'content-type': 'application/json' }
    switch (mood) {
      case 'slow':
        return
      case 'garbage':
        return response.writeHead(200, json).end('<html>It works!')
      case 'sixth action':
        return response.writeHead(200, json).end(
          JSON.stringify({
            request_id: 'dec_1',
            target: { normalized: 'x.com' },
            decision: { recommended_action: 'allow', action_confidence: 1, reason_codes: [] },
          }),
        )
      case 'fault':
        return response.writeHead(500, json).end('{"detail":"at pool.ts:12"}')
      case 'too many':
        return response.writeHead(429, { ...json, 'retry-after': '77' }).end('{"code":"quota_exceeded"}')
      case 'redirect':
        return response.writeHead(302, { location: `${atrium}/v1/decide` }).end()
      case 'cut off':
        response.writeHead(200, { ...json, 'content-length': '1000' }).write('{"request_id":')
        return response.destroy()
      case 'endless': {
        response.writeHead(200, json)
        const chunk = ' '.repeat(65_536)
        response.on('drain', () => response.write(chunk))
        return response.write(chunk.repeat(2))
      }
      case 'up': {
        const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
        const answer = await fetch(`${atrium}${request.url}`, {
          method: request.method ?? 'GET',
          headers: headers as Record<string, string>,
          ...(body !== '' && { body }),
        })
        const { status } = answer
        const forwardedHeaders = ['content-type', 'retry-after', 'date'].flatMap((name) => {
          const value = answer.headers.get(name)
          return value === null ? [] : [[name, value] as const]
        })
        response.writeHead(status, Object.fromEntries(forwardedHeaders)).end(await answer.text())
      }
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    be: (next: Mood) => {
      mood = next
      requests.length = 0
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
