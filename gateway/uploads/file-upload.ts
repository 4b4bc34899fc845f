import { PassThrough, type Readable, type Writable } from 'node:stream'
import type { UploadError } from './upload-error.ts'

/** What a part of a multipart request says about its file. */
export type FileHead = { readonly filename: string; readonly mimetype: string; readonly encoding: string }

/** A file that has begun to arrive, as resolvers of local subgraphs get it. */
export type ArrivedFile = FileHead & {
  /** The content; read it once. */
  readonly createReadStream: () => Readable
}

/**
 * A file of a multipart request, which stands where a variable has the scalar `Upload`. As JSON it
 * is null, as the specification wants it. Nobody but its fetch reads it.
 */
export class FileUpload {
  // Private: what walks over variables finds nothing below.
  readonly #key: string
  readonly #path: string
  readonly #index: number
  readonly #arrived = Promise.withResolvers<FileHead>()
  readonly #ended = Promise.withResolvers<void>()
  #stream: Readable | null = null
  #state: 'unused' | 'claimed' | 'discarded' = 'unused'
  #hasEnded = false
  #failure: UploadError | null = null

  constructor(key: string, path: string, index: number) {
    this.#key = key
    this.#path = path
    this.#index = index
    // Nobody may be waiting.
    this.#arrived.promise.catch(() => {})
    this.#ended.promise.catch(() => {})
  }

  /** The name of its part, which is its key in `map`. */
  get key(): string {
    return this.#key
  }
  /** The first path that `map` gives it. */
  get path(): string {
    return this.#path
  }
  /** Its place in `map`, which is the order in which clients send files. */
  get index(): number {
    return this.#index
  }
  get state(): 'unused' | 'claimed' | 'discarded' {
    return this.#state
  }
  get hasArrived(): boolean {
    return this.#stream !== null
  }
  get hasEnded(): boolean {
    return this.#hasEnded
  }
  get failure(): UploadError | null {
    return this.#failure
  }
  /** Settles when its part begins, or cannot begin any more. */
  get arrived(): Promise<FileHead> {
    return this.#arrived.promise
  }
  /** Settles when all of it was read, or cannot be any more. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  toJSON(): null {
    return null
  }

  claim(): void {
    this.#state = 'claimed'
  }

  arrive(stream: Readable, head: FileHead, onEnd: () => void): void {
    this.#stream = stream
    // The parser reports an end that is too early here as well; `fail` has told it.
    stream.on('error', () => {})
    stream.once('end', () => {
      this.#hasEnded = true
      this.#ended.resolve()
      onEnd()
    })
    if (this.#state === 'discarded') stream.resume()
    this.#arrived.resolve(head)
  }

  /** Writes the content as fast as `target` takes it, and does not end `target`. */
  pipeInto(target: Writable): void {
    this.#stream?.pipe(target, { end: false })
  }

  /** What resolvers get: a promise, as from graphql-upload. */
  forResolver(): Promise<ArrivedFile> {
    const arrived = this.arrived.then((head) => ({ ...head, createReadStream: () => this.#read() }))
    arrived.catch(() => {})
    return arrived
  }

  /** A stream of its own: one that a resolver destroys must not stop the parser. */
  #read(): Readable {
    const content = new PassThrough()
    content.on('error', () => {})
    if (this.#failure) content.destroy(this.#failure)
    this.#stream?.pipe(content)
    this.ended.catch((reason) => content.destroy(reason))
    return content
  }

  /** Lets the content pass unread, now or when it arrives; the parser goes on with the next file. */
  discard(reason: UploadError): void {
    if (this.#hasEnded || this.#state === 'discarded') return
    this.#state = 'discarded'
    this.#failure ??= reason
    this.#stream?.unpipe()
    this.#stream?.resume()
    this.#arrived.reject(reason)
    this.#ended.reject(reason)
  }

  /** Ends it where nothing more will arrive. */
  fail(reason: UploadError): void {
    if (this.#hasEnded || this.#failure) return
    this.#failure = reason
    this.#arrived.reject(reason)
    this.#ended.reject(reason)
    this.#stream?.destroy(reason)
  }
}

/** A file, and where it stands in variables. */
export type PlacedFile = { readonly file: FileUpload; readonly path: readonly string[] }

/** The files in variables, in the order in which clients send them. */
export function filesIn(variables: unknown): readonly PlacedFile[] {
  const found: PlacedFile[] = []
  visit(variables, [])
  return found.sort((one, other) => one.file.index - other.file.index)

  function visit(value: unknown, path: readonly string[]): void {
    if (typeof value !== 'object' || value === null) return
    if (value instanceof FileUpload) found.push({ file: value, path })
    else for (const [key, inner] of Object.entries(value)) visit(inner, [...path, key])
  }
}

/** Puts the files of `given` into variables that a program made of them, where null stands. */
export function restoreFiles(variables: Readonly<Record<string, unknown>>, given: Readonly<Record<string, unknown>>): void {
  for (const { file, path } of filesIn(given)) {
    const last = path.at(-1) ?? ''
    const parent = path.slice(0, -1).reduce<unknown>(ownValueOf, variables)
    // An own property that is null, so the parent is an object or a list.
    if (ownValueOf(parent, last) === null) Object.assign(parent as object, { [last]: file })
  }
}

/** An own property alone: nothing that every object inherits. */
export const ownValueOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

/** `variables` with files as what `replace` makes of them. */
export function withFiles<Value>(variables: Value, replace: (file: FileUpload) => unknown): Value {
  return visit(variables) as Value // the same but for files

  function visit(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (value instanceof FileUpload) return replace(value)
    if (Array.isArray(value)) return value.map(visit)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visit(inner)]))
  }
}
