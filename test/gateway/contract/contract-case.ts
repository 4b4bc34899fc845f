/** Media type of answers to clients that name none. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** Values that earlier cases of a list kept, such as tokens and ids. */
export type SavedValues = Readonly<Record<string, string>>

/** One HTTP request to `/graphql`. */
export type ContractRequest = {
  /** Default: POST. */
  readonly method?: string
  readonly search?: string
  /** Text is sent as it is, everything else as JSON. */
  readonly body?: unknown
  /** Default for POST: `content-type: application/json`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What clients act on. Messages are not compared: every engine has its own sentences. */
export type ContractAnswer = {
  readonly status: number
  readonly contentType: string | null
  /** A list for a batch. */
  readonly data: unknown
  /** `CODE` or `CODE path.of.field`, in order. */
  readonly errors: readonly string[]
  /** `allow` and `retry-after`, and what the case names. */
  readonly headers: Readonly<Record<string, string>>
}

/** A case of the contract of `/graphql`, which every engine answers alike unless DIFFERENCES lists it. */
export type ContractCase = {
  /** Unique; differences name it. */
  readonly what: string
  readonly request: ContractRequest | ((values: SavedValues) => ContractRequest)
  /** Default: 200. */
  readonly status?: number
  /** Null: there is no body. Default: JSON_TYPE. */
  readonly contentType?: string | null
  /** Codes of errors. Default: none. */
  readonly codes?: readonly string[]
  /** Default: any, but not null where there are no errors. */
  readonly data?: unknown
  /** Headers that are compared too; names in lower case. */
  readonly compares?: readonly string[]
  /** Values of the data for the requests that follow. */
  // biome-ignore lint/suspicious/noExplicitAny: data are read by the paths that each case knows.
  readonly keep?: (data: any) => Record<string, string>
}

/** A POST of one operation. */
export const post = (query: string, more: object = {}, headers: ContractRequest['headers'] = {}): ContractRequest => ({
  body: { query, ...more },
  headers,
})

/** A GET, as a client's own program sends it. */
export const get = (
  params: Readonly<Record<string, string>>,
  headers: ContractRequest['headers'] = { 'apollo-require-preflight': '1' },
): ContractRequest => ({ method: 'GET', search: `?${new URLSearchParams(params)}`, headers })

/** Sends a request; of an event stream the head is read only. */
export async function answerOf(
  url: string,
  { method = 'POST', search = '', body, headers = {} }: ContractRequest,
  compares: readonly string[] = [],
): Promise<ContractAnswer> {
  const over = new AbortController()
  const response = await fetch(url + search, {
    method,
    headers: { ...(method === 'POST' && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: over.signal,
  })
  const contentType = response.headers.get('content-type')
  const named = ['allow', 'retry-after', ...compares].map((name) => [name, response.headers.get(name)] as const)
  const answer = {
    status: response.status,
    contentType,
    headers: Object.fromEntries(named.filter((entry): entry is [string, string] => entry[1] !== null)),
  }
  if (contentType?.startsWith('text/event-stream')) {
    over.abort()
    return { ...answer, data: null, errors: [] }
  }
  return { ...answer, ...bodyOf(await response.text()) }
}

function bodyOf(text: string): Pick<ContractAnswer, 'data' | 'errors'> {
  try {
    const body: unknown = text === '' ? {} : JSON.parse(text)
    const results = (Array.isArray(body) ? body : [body]) as GraphQLResult[]
    const data = results.map((result) => result.data ?? null)
    return {
      data: Array.isArray(body) ? data : (data[0] ?? null),
      errors: results.flatMap(({ errors = [] }) => errors.map(spelled)),
    }
  } catch {
    return { data: null, errors: [`no JSON: ${text.slice(0, 40)}`] }
  }
}

type GraphQLResult = { readonly data?: unknown; readonly errors?: readonly GraphQLResultError[] }
type GraphQLResultError = { readonly path?: readonly unknown[]; readonly extensions?: { readonly code?: string } }

const spelled = ({ path, extensions }: GraphQLResultError): string =>
  [extensions?.code ?? 'no code', path?.join('.')].filter(Boolean).join(' ')
