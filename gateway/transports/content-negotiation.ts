import { boundedCache } from '../../platform/collections/bounded-cache.ts'

/** Response format that a client accepts. */
export type ResponseFormat = {
  /** Server-sent events when the client prefers them, otherwise one JSON body. */
  readonly kind: 'events' | 'json'
  readonly contentType: string
  /** Status of request errors: invalid document, operation or variables. */
  readonly requestErrorStatus: 200 | 400
  /** Whether the client also accepts server-sent events. */
  readonly acceptsEventStream: boolean
  /** Whether the client accepts `@defer` results in parts (`multipart/mixed`). */
  readonly acceptsMultipart: boolean
}

/** A media range of an Accept header; `rank`: its position. */
type Range = { readonly quality: number; readonly rank: number }

const EVENTS = 'text/event-stream'
const RESPONSE = 'application/graphql-response+json'
const JSON_TYPE = 'application/json'

/** Cache of parsed headers, because clients repeat the same one. */
const ACCEPT_CACHE_BOUND = { maxEntries: 200, maxCharacters: 50_000 }

/**
 * Chooses among `application/json`, `application/graphql-response+json` and `text/event-stream` by
 * the Accept header (RFC 9110 §12.5.1): highest quality, then explicitly named types, then header
 * order. Null when none is accepted. Event streams must be named explicitly.
 * With `application/json` request errors have status 200, because only that distinguishes this
 * server's responses from a proxy's (GraphQL over HTTP). A wildcard gets the 4xx status.
 */
export function createContentNegotiation(): (accept: string | undefined) => ResponseFormat | null {
  const known = boundedCache<{ readonly form: ResponseFormat | null }>(ACCEPT_CACHE_BOUND)
  return (accept = '*/*') => {
    const remembered = known.get(accept)
    if (remembered) return remembered.form
    const form = formFor(rangesIn(accept), acceptsMultipartIn(accept))
    known.set(accept, { form })
    return form
  }
}

function formFor(ranges: ReadonlyMap<string, Range>, acceptsMultipart: boolean): ResponseFormat | null {
  const takesEvents = (ranges.get(EVENTS)?.quality ?? 0) > 0
  const candidates = [
    { type: JSON_TYPE, range: ranges.get(JSON_TYPE), loose: ranges.get('application/*') ?? ranges.get('*/*') },
    { type: RESPONSE, range: ranges.get(RESPONSE), loose: ranges.get('application/*') ?? ranges.get('*/*') },
    { type: EVENTS, range: ranges.get(EVENTS), loose: undefined },
  ].flatMap(({ type, range, loose }) => {
    const { quality, rank } = range ?? loose ?? { quality: 0, rank: 0 }
    return quality > 0 ? [{ type, quality, rank, isNamed: range !== undefined }] : []
  })
  // Stable sort, so that ties keep the order above.
  const [best] = candidates.sort(
    (one, other) => other.quality - one.quality || Number(other.isNamed) - Number(one.isNamed) || one.rank - other.rank,
  )
  if (!best) return null
  return {
    kind: best.type === EVENTS ? 'events' : 'json',
    contentType: `${best.type}; charset=utf-8`,
    requestErrorStatus: best.type === JSON_TYPE && best.isNamed ? 200 : 400,
    acceptsEventStream: takesEvents,
    acceptsMultipart,
  }
}

/** Media ranges by lower-case type, without parameters, which none of our types has. */
function rangesIn(accept: string): ReadonlyMap<string, Range> {
  const ranges = new Map<string, Range>()
  for (const [rank, element] of accept.toLowerCase().split(',').entries()) {
    const [type = '', ...parameters] = element.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    const quality = weight === undefined ? 1 : Number(weight.slice(2)) || 0
    if (!ranges.has(type)) ranges.set(type, { quality, rank })
  }
  return ranges
}

/**
 * Whether a header names `multipart/mixed` without parameters or with `deferSpec=20220824`. Other
 * drafts, and subscriptions over multipart, use other formats.
 */
const acceptsMultipartIn = (accept: string): boolean =>
  accept
    .toLowerCase()
    .split(',')
    .map((element) => element.split(';').map((part) => part.trim()))
    .some(
      ([type, ...parameters]) =>
        type === 'multipart/mixed' &&
        parameters.every(
          (parameter) =>
            /^(?:deferspec="?20220824"?|boundary=.*)$/.test(parameter) ||
            (parameter.startsWith('q=') && Number(parameter.slice(2)) > 0),
        ),
    )
