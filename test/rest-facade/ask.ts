import { request } from 'node:http'

export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly bytes: Buffer
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers whose shape is what it claims
  readonly json: any
}

/**
 * Sends exactly this path over a socket: no client library that corrects, decodes or caches what is
 * on the wire.
 */
export function askRaw(
  base: string,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
    localAddress,
  }: { method?: string; headers?: Record<string, string>; body?: string | Buffer; localAddress?: string } = {},
): Promise<Reply> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method, headers, localAddress, insecureHTTPParser: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const text = bytes.toString('utf8')
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as Record<string, string>,
          bytes,
          text,
          get json() {
            return JSON.parse(text)
          },
        })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
