import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  ConsoleAppendToImportDocument,
  ConsoleCancelImportDocument,
  ConsoleCreateImportDocument,
  ConsoleExportDocument,
  type ConsoleExportQuery,
  ConsoleStartImportDocument,
  type CreateStoreImportInput,
} from '#generated/operations.ts'
import { lookupTable } from '../../platform/collections/lookup-table.ts'
import { FORM_TOKEN } from '../frame/form-token.ts'
import { PAGE_HEADERS } from '../frame/headers.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, type RunPageOperation } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { EXPORTS, IMPORTS, imports } from './imports.ts'
import { readUpload, type UploadedFile } from './read-upload.ts'
import type { ConsoleResponder } from './responder.ts'
import type { ConsoleSession } from './session.ts'
import { foreignForm } from './sign-in.ts'

/** Operations of uploads and downloads. */
export const FILE_OPERATIONS = [
  ConsoleCreateImportDocument,
  ConsoleAppendToImportDocument,
  ConsoleStartImportDocument,
  ConsoleExportDocument,
]

const KINDS = lookupTable({ products: 'PRODUCTS', customers: 'CUSTOMERS', orders: 'ORDERS' } as const)
const FORMATS = lookupTable({
  csv: ['CSV', 'text/csv; charset=utf-8'],
  jsonl: ['JSON_LINES', 'application/x-ndjson; charset=utf-8'],
} as const)
/** Bytes of a piece: with base64 and the rest of an operation, less than one may have. */
const PIECE_BYTES = 65_536

/** Takes files of imports, and sends exports, for the signed-in owner. */
export function serveImportFiles(scope: FastifyInstance, responder: ConsoleResponder, site: Site): void {
  const { sessionOf, runnerOf, showFramed, toConsole, show } = responder
  scope.removeAllContentTypeParsers()
  // The body is read while it arrives.
  scope.addContentTypeParser('multipart/form-data', (_, __, done) => done(null))

  scope.post(IMPORTS, async (request, reply) => {
    const session = await sessionOf(request, reply)
    if (!session) return show(reply, foreignForm(site))
    const run = runnerOf(session, request, reply)
    // Runs on when the browser has left.
    const cancel = runnerOf(session, request, reply, new AbortController().signal)
    const received = await readUpload(request, (file) => storeFile(file, session, { run, cancel }))
    if (received === 'foreign') return show(reply, foreignForm(site))
    if ('problem' in received) return showFramed(reply, imports, refusal(received.problem, site), session, 422)
    return toConsole(reply, `${IMPORTS}/${received.number}`)
  })

  scope.get(`${EXPORTS}/:file`, async (request, reply) => {
    const session = await sessionOf(request, reply)
    if (!session) return toConsole(reply)
    return sendExport(request, reply, runnerOf(session, request, reply), () =>
      showFramed(reply, imports, refusal('There is no export of this name.', site), session, 404),
    )
  })
}

const refusal = (problem: string, { at }: Site): Html => html`<h1>Import and export</h1>
<div role="alert" class="alert tone-bad"><p>${problem}</p></div>
<p><a href="${at(IMPORTS)}">Back to import and export</a></p>`

type Stored = { readonly number: number } | { readonly problem: string } | 'foreign'

/** Why a change of an import failed. */
const problemOf = (result: {
  readonly __typename: string
  readonly message?: string
  readonly errors?: readonly { readonly message: string }[]
}): string => result.errors?.[0]?.message ?? result.message ?? `Nothing was imported: ${result.__typename}.`

/** Begins an import with a file, in pieces, and queues it. */
async function storeFile(
  { field, name, chunks }: UploadedFile,
  session: ConsoleSession,
  { run, cancel }: { readonly run: RunPageOperation; readonly cancel: RunPageOperation },
): Promise<Stored> {
  if (field(FORM_TOKEN) !== session.formToken) return 'foreign'
  const { result: created } = dataOf(await run(ConsoleCreateImportDocument, { input: newImport(field, name) }))
  if (created.__typename !== 'StoreImportSuccess') return { problem: problemOf(created) }
  const { number } = created.storeImport
  // What cannot be imported does not count among the open imports.
  const end = () => cancel(ConsoleCancelImportDocument, { number: String(number) })
  try {
    const problem = await sendPieces(String(number), chunks, run)
    if (problem === null) return { number }
    await end()
    return { problem }
  } catch (error) {
    await end()
    throw error
  }
}

/** What a form says about its file; fields that only orders have count with orders. */
function newImport(field: UploadedFile['field'], fileName: string | null): CreateStoreImportInput {
  const isChosen = (name: string) => field(name) === 'yes'
  const kind = field('kind')
  const shared = {
    format: field('format') === 'JSON_LINES' ? 'JSON_LINES' : 'CSV',
    isDryRun: isChosen('dryRun'),
    fileName,
  } as const
  if (kind === 'ORDERS') {
    const source = field('source').trim() || null
    return { ...shared, kind, source, takesStock: isChosen('takesStock'), sendsEvents: isChosen('sendsEvents') }
  }
  return { ...shared, kind: kind === 'CUSTOMERS' ? kind : 'PRODUCTS', overwrite: isChosen('overwrite') }
}

/** Sends the file of an import, and starts it; null, or why that failed. */
async function sendPieces(number: string, chunks: UploadedFile['chunks'], run: RunPageOperation): Promise<string | null> {
  let [start, rest] = [0, Buffer.alloc(0)]
  const append = async (piece: Buffer): Promise<string | null> => {
    const input = { start, bytes: piece.toString('base64') }
    const { result } = dataOf(await run(ConsoleAppendToImportDocument, { number, input }))
    start += piece.length
    return result.__typename === 'StoreImportSuccess' ? null : problemOf(result)
  }
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk])
    for (; rest.length >= PIECE_BYTES; rest = rest.subarray(PIECE_BYTES)) {
      const problem = await append(rest.subarray(0, PIECE_BYTES))
      if (problem !== null) return problem
    }
  }
  const problem = rest.length > 0 ? await append(rest) : null
  if (problem !== null) return problem
  if (start === 0) return 'Choose a file that is not empty.'
  const { result } = dataOf(await run(ConsoleStartImportDocument, { number }))
  return result.__typename === 'StoreImportSuccess' ? null : problemOf(result)
}

async function sendExport(
  request: FastifyRequest,
  reply: FastifyReply,
  run: RunPageOperation,
  nothing: () => FastifyReply,
): Promise<FastifyReply> {
  // Parameters of a path are texts.
  const [, name = '', ending = ''] = /^(\w+)\.(\w+)$/.exec((request.params as { readonly file: string }).file) ?? []
  const [kind, format] = [KINDS[name], FORMATS[ending]]
  if (!kind || !format) return nothing()
  const page = async (after: string | null) =>
    dataOf(await run(ConsoleExportDocument, { kind, format: format[0], after })).storeExport
  const first = await page(null)
  return reply
    .headers(PAGE_HEADERS)
    .header('cache-control', 'no-store')
    .header('content-disposition', `attachment; filename="${name}.${ending}"`)
    .type(format[1])
    .send(Readable.from(pieces(first)))

  /** A page at a time: the next one is read when the client has read the last. */
  async function* pieces(beginning: ConsoleExportQuery['storeExport']): AsyncGenerator<string> {
    for (let at = beginning; ; at = await page(at.endCursor)) {
      if (at.text !== '') yield at.text
      if (!at.hasNextPage) return
    }
  }
}
