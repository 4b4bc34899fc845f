import { Agent, request } from 'node:http'

/** A question to a server. */
export type Question = { readonly method?: 'GET' | 'POST'; readonly path: string; readonly body?: string }

/** Milliseconds of every request, sorted, and how many there were a second. */
export type Measured = { readonly times: readonly number[]; readonly perSecond: number }

/**
 * Addresses that requests come from: a store counts how many come from one, 20 a second and 800 a
 * minute.
 */
const ADDRESSES = 600

/**
 * Clients with connections that stay open, each from an address of its own on this machine
 * (127.1.0.0/16), used in turn. `authorization` is sent with everything.
 */
export function clients(base: string, authorization: string) {
  const agents = Array.from(
    { length: ADDRESSES },
    (_, index) =>
      new Agent({
        keepAlive: true,
        maxSockets: 1,
        localAddress: `127.1.${1 + Math.floor(index / 250)}.${1 + (index % 250)}`,
      } as object),
  )
  let turn = 0

  const ask = ({ method = 'GET', path, body }: Question): Promise<{ readonly status: number; readonly text: string }> =>
    new Promise((resolve, reject) => {
      const agent = agents[turn++ % ADDRESSES] as Agent
      const headers = {
        authorization,
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      }
      const sent = request(base + path, { method, agent, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
        response.on('error', reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })

  return {
    ask,
    /**
     * Asks for so many seconds, or `most` times, `atOnce` at a time. Rejects on any status but 200.
     */
    async load(
      next: () => Question,
      {
        seconds,
        atOnce,
        maxRequests = Number.POSITIVE_INFINITY,
      }: { readonly seconds: number; readonly atOnce: number; readonly maxRequests?: number },
    ): Promise<Measured> {
      const times: number[] = []
      const begun = performance.now()
      const end = begun + seconds * 1000
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          while (performance.now() < end && times.length < maxRequests) {
            const question = next()
            const since = performance.now()
            const { status, text } = await ask(question)
            times.push(performance.now() - since)
            if (status !== 200) throw new Error(`${question.path} answered ${status}: ${text.slice(0, 300)}`)
          }
        }),
      )
      return { times: times.sort((one, other) => one - other), perSecond: (times.length * 1000) / (performance.now() - begun) }
    },
    close: () => {
      for (const agent of agents) agent.destroy()
    },
  }
}

/** The time that this share of requests did not take longer than; NaN for none. */
export const quantile = ({ times }: Pick<Measured, 'times'>, share: number): number =>
  times[Math.floor((times.length - 1) * share)] ?? Number.NaN
