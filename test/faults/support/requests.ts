import { setTimeout as sleep } from 'node:timers/promises'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each client knows.
type Data = any

/**
 * A client that is told nothing for this long gives up; no answer may take so long. Milliseconds.
 */
const TIMEOUT_MS = 30_000

export type HttpRequest = {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

/**
 * The JSON of a successful answer. Rejects with what a client can tell of any other: its status and
 * codes, or why there was none.
 */
export async function request({ url, method = 'POST', headers = {}, body }: HttpRequest): Promise<Data> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const text = await response.text()
  // Nothing has begun, and clients that keep to what they are told wait.
  if (response.status === 429) {
    await sleep(Number(response.headers.get('retry-after') ?? 1) * 1_000)
    return request({ url, method, headers, ...(body && { body }) })
  }
  const answer = isJson(response) ? JSON.parse(text) : null
  if (response.ok && answer !== null && !answer.errors) return answer
  const again = response.status === 503 && !response.headers.has('retry-after') ? ' without Retry-After' : ''
  throw new Error(`${response.status} ${answer === null ? 'no JSON' : codesIn(answer)}${again}`)
}

/**
 * The data of an operation of the graph. Rejects like `request`, and when the field `name` is not
 * of the type `NameSuccess`.
 */
export async function mutate(base: string, authorization: string, name: string, text: string, variables: object): Promise<Data> {
  const body = { query: text, variables }
  const { data } = await request({ url: `${base}/graphql`, headers: { authorization }, body })
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}Success`
  if (data[name].__typename !== type) throw new Error(`200 ${JSON.stringify(data[name])}`)
  return data[name]
}

const isJson = ({ headers }: Response): boolean => /\bjson\b/.test(headers.get('content-type') ?? '')

/**
 * The code of every error, in the forms of the graph, of our own doors and of the trust service; a
 * store has messages only.
 */
const codesIn = ({ errors, error, code, message }: Data): string =>
  Array.isArray(errors)
    ? [...new Set(errors.map((each: Data) => each.extensions?.code ?? each.message))].join()
    : (error?.code ?? code ?? message)
