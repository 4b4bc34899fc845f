import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'

/** A file of a form, while it arrives. */
export type UploadedFile = {
  /** A field that stands before the file; empty when there is none. */
  readonly field: (name: string) => string
  /** Null: it has none. */
  readonly name: string | null
  readonly chunks: AsyncIterable<Buffer>
}

/** Fields of a form with a file, and bytes of each. */
const [MAX_FIELDS, MAX_FIELD_BYTES] = [10, 200]
const MAX_NAME_LENGTH = 255

/** Hands the one file of a form to `take`, and reads the form to its end. */
export async function readUpload<Result>(
  { raw }: FastifyRequest,
  take: (file: UploadedFile) => Promise<Result>,
): Promise<Result | { readonly problem: string }> {
  // Loaded with the first upload.
  const { Busboy } = await import('@fastify/busboy')
  const fields = new Map<string, string>()
  let taking: Promise<Result> | null = null
  let taken: Readable | null = null
  let form: InstanceType<typeof Busboy>
  try {
    form = new Busboy({
      // Checked by the library.
      headers: raw.headers as ConstructorParameters<typeof Busboy>[0]['headers'],
      limits: { fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, files: 1, parts: MAX_FIELDS + 1 },
    })
  } catch {
    return UNREADABLE
  }
  form.on('field', (name, value) => {
    fields.set(name, value)
  })
  form.on('file', (_, stream, name) => {
    taken = stream
    // Of a form that is cut off inside a file that nobody reads: without a listener it would end the process.
    stream.on('error', () => {})
    taking = take({
      field: (wanted) => fields.get(wanted) ?? '',
      name: name?.trim() ? name.trim().slice(-MAX_NAME_LENGTH) : null,
      // Who stops early must not destroy it: the form would wait for ever for a reader of the rest.
      chunks: stream.iterator({ destroyOnReturn: false }),
      // Whatever was not taken is read over, so that the answer reaches the browser.
    }).finally(() => stream.resume())
    // It is awaited at the end; a form that breaks must not leave it unhandled.
    taking.catch(() => {})
  })
  raw.pipe(form)
  raw.once('close', () => {
    if (!raw.complete) form.destroy(new Error('The upload was interrupted.'))
  })
  try {
    await finished(form, { readable: false })
  } catch (error) {
    // Its file never ends by itself, and who takes it would wait for ever. Both are assigned by the listener above.
    const [stream, result] = [taken as Readable | null, taking as Promise<Result> | null]
    stream?.destroy(error instanceof Error ? error : undefined)
    await result?.catch(() => {})
    return UNREADABLE
  }
  // Assigned by the listener above.
  return (taking as Promise<Result> | null) ?? UNREADABLE
}

const UNREADABLE = { problem: 'Choose a file. The form could not be read to its end.' }
