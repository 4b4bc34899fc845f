import type { GatewayClient } from '../../gateway/client.ts'
import { readBody } from './body.ts'
import type { Endpoint, RawRequest, Rejected, RunDocument, WrittenResponse } from './endpoint.ts'
import { toProblem } from './error-masking.ts'
import { pageLinks } from './page-links.ts'
import { parseQuery } from './parameters.ts'
import { invalidParameters, noSuchItem, type ProblemDetails } from './problem.ts'
import type { OffsetPage, Paging, Route, TableInput } from './route.ts'

/** No key has longer segments or control characters in them: they get 404 without a run. */
const IMPOSSIBLE_SEGMENT = /\p{Cc}|^.{513}/su

/** What is the same for all rows of a facade. */
export type TableOptions = {
  /** Message of the 404 of an item. */
  readonly noItem: string
  /** Needed where rows have pages: how a page is spelled, and what its links are made from. */
  readonly pages?: {
    readonly publicUrl: string
    /** Header `link` of every response, which the links of a page are added to. */
    readonly link: string
    readonly body: (page: OffsetPage & Paging) => unknown
  }
}

/**
 * Compiles rows with parameter tables. Rejects when the graph cannot answer one of their documents.
 */
export async function tableEndpoints<Data>(
  client: GatewayClient,
  routes: readonly Route<Data>[],
  options: TableOptions,
): Promise<readonly Endpoint<Data, TableInput, ProblemDetails>[]> {
  for (const route of routes) await route.prepare(client)
  return routes.map((route) => tableEndpoint(route, options))
}

function tableEndpoint<Data>(route: Route<Data>, { noItem, pages }: TableOptions): Endpoint<Data, TableInput, ProblemDetails> {
  const { operationId, method, status, parameters, accepts, headers } = route
  return {
    operationId,
    method,
    status,
    paths: [route.path, ...route.aliases],
    execute: (client, input, caller, signal) => route.execute(client, input, caller, signal),
    ...(route.bodyFormat && { largeBody: route.bodyFormat }),
    ...(route.stream && {
      stream: (input: TableInput, run: RunDocument, requestId: string) => route.stream?.(input, run, requestId) ?? null,
    }),
    ...(headers && { headers: (data: Data, input: TableInput) => headers(data, input) }),
    toFailure(errors, requestId) {
      const { problem, isInternal } = toProblem(errors, requestId, noItem)
      return { failure: problem, isInternal }
    },
    read,
    write(data, input) {
      const problem = route.problem?.(data, input) ?? null
      if (problem) return { failure: problem }
      if (status === 204) return { text: null }
      if (route.page) return writePage(route.page(data, input), input)
      const body = route.body?.(data, input) ?? null
      return body === null ? { failure: noSuchItem(noItem), reason: 'missing' } : { text: JSON.stringify(body) }
    },
  }

  /** Path and query first: their faults are reported without credentials. */
  function read({ path, query, body, headers }: RawRequest): { readonly input: TableInput } | Rejected<ProblemDetails> {
    if (Object.values(path).some((segment) => IMPOSSIBLE_SEGMENT.test(segment)))
      return { failure: noSuchItem(noItem), reason: 'missing' }
    const { values, refusals } = parseQuery(parameters, query)
    if (refusals.length > 0) return { failure: invalidParameters(refusals) }
    const given = accepts ? readBody(accepts, body, route.bodyFormat, text(headers['content-type'])) : { value: undefined }
    if ('problem' in given) return { failure: given.problem, reason: 'body' }
    return { input: { path, query: values, body: given.value, accept: text(headers.accept) } }
  }

  function writePage(page: OffsetPage, { query }: TableInput): WrittenResponse<ProblemDetails> {
    if (!pages) throw new Error(`Expected the facade of ${operationId} to say how pages are spelled.`)
    const paging = { limit: Number(query.limit), offset: Number(query.offset) }
    const links = pageLinks(`${pages.publicUrl}${route.path}`, query, paging, page.total)
    const text = JSON.stringify(pages.body({ ...page, ...paging }))
    return links.length === 0 ? { text } : { text, headers: { link: [pages.link, ...links].join(', ') } }
  }
}

/** A header that is not repeated; empty without one. */
const text = (header: string | string[] | undefined): string => (typeof header === 'string' ? header : '')

/** What a response depends on, for entity tags. */
export const tableKey = ({ path, query }: TableInput): readonly unknown[] => [path, query]
