import type { Readable } from 'node:stream'
import type { Gateway } from '../gateway.ts'
import { COST_HEADER, withCostHeader } from '../limits/cost-report.ts'
import { refusal } from '../operations/errors.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import { statusOfUpload, UploadError } from '../uploads/upload-error.ts'
import type { UploadReceiver } from '../uploads/upload-receiver.ts'
import { runBatch } from './batch.ts'
import type { ResponseFormat } from './content-negotiation.ts'
import { JSON_TYPE, type RequestHead, statusOf } from './http-rules.ts'
import { parseBodyParams } from './request-params.ts'

/** What the client of an upload gets. */
export type UploadAnswer = {
  readonly status: number
  readonly contentType: string
  /** One result, or those of a list of operations. */
  readonly results: ExecutionResult | readonly ExecutionResult[]
}

export type UploadRequest = {
  readonly source: Readable
  readonly contentType: string
  readonly form: ResponseFormat
  readonly batchLimit: number
  readonly context: RequestContext
}

/** Whether a body is a multipart request. */
export const isMultipart = ({ headers }: RequestHead): boolean =>
  headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'multipart/form-data'

/** Why a multipart request is refused by its method and headers; null when it is not. */
export function refusedUpload(
  method: string,
  form: ResponseFormat,
): { readonly status: number; readonly message: string } | null {
  if (method !== 'POST') return { status: 405, message: `Expected POST for a request with files, got ${method}.` }
  // Files go through while the operation runs, which a stream of events does not wait for.
  if (form.kind === 'events')
    return { status: 406, message: 'Expected an Accept header that allows JSON, for a request with files.' }
  return null
}

/**
 * Runs an operation with files, or a list of them. No cache, no shadow traffic and no parts in
 * advance: a file can be read once. Never rejects for what a client can cause.
 */
export async function runUpload(
  gateway: Gateway,
  receiver: UploadReceiver,
  { source, contentType, form, batchLimit, context: given }: UploadRequest,
): Promise<UploadAnswer> {
  try {
    return await receiver.receive(source, contentType, ({ operations, uploads }) => {
      const context = { ...given, uploads }
      return Array.isArray(operations) ? runList(operations, context) : runOne(operations, context)
    })
  } catch (error) {
    if (!(error instanceof UploadError)) throw error
    return { status: statusOfUpload(error), contentType: form.contentType, results: { errors: [error.toGraphQL().toJSON()] } }
  }

  async function runOne(operations: unknown, context: RequestContext): Promise<UploadAnswer> {
    const { contentType: type } = form
    const parsed = parseBodyParams(operations)
    if (parsed.kind === 'malformed') return { status: 400, contentType: type, results: { errors: [parsed.error] } }
    const { params } = parsed
    const prepared = gateway.prepare(withCostHeader(params, context.http?.headers[COST_HEADER]))
    if (prepared.operation === 'subscription') return { status: 400, contentType: type, results: { errors: [NO_SUBSCRIPTION] } }
    if (prepared.kind === 'rejected') {
      const { errors } = prepared
      return { status: statusOf(errors, form), contentType: type, results: { errors } }
    }
    const wantsCost = context.wantsCost === true || params.wantsCost
    const results = await prepared.run(params.variables, { ...context, wantsCost })
    const status = context.http?.status ?? (results.data === undefined ? statusOf(results.errors, form) : 200)
    return { status, contentType: type, results }
  }

  async function runList(operations: readonly unknown[], context: RequestContext): Promise<UploadAnswer> {
    const batch = await runBatch(gateway, operations, batchLimit, context)
    if (batch.kind === 'refused') return { status: 400, contentType: JSON_TYPE, results: { errors: [batch.error] } }
    return { status: 200, contentType: JSON_TYPE, results: batch.results }
  }
}

const NO_SUBSCRIPTION = refusal(
  'SUBSCRIPTIONS_NOT_SUPPORTED',
  'Expected a query or a mutation in "operations", got a subscription: a file can be read once, and not for each event.',
)

/** The answer as text; `textOf` writes one result. */
export const uploadText = ({ results }: UploadAnswer, textOf: (result: ExecutionResult) => string): string =>
  'length' in results ? `[${results.map(textOf).join(',')}]` : textOf(results)

/** All results of an answer. */
export const resultsOf = ({ results }: UploadAnswer): readonly ExecutionResult[] => ('length' in results ? results : [results])
