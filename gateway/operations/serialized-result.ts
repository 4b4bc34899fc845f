type Data = Readonly<Record<string, unknown>>

/**
 * A result without errors that is kept as its JSON: `{"data":{…}}`, and nothing else. `data` is
 * parsed each time that it is read, also by spread and by `JSON.stringify`, so code that knows
 * nothing of this class only loses time.
 */
class SerializedResult {
  declare readonly data: Data
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    Object.defineProperty(this, 'data', PARSED_WHEN_READ)
  }

  static bytesOf(result: object): Buffer | null {
    return #bytes in result ? result.#bytes : null
  }
}

/** An own property, because spread does not copy those of a prototype. */
const PARSED_WHEN_READ: PropertyDescriptor & ThisType<SerializedResult> = {
  enumerable: true,
  get(): Data {
    return JSON.parse(String(SerializedResult.bytesOf(this))).data
  },
}

/** Keeps a result as its JSON, which must be valid and must have nothing but an object `data`. */
export const serializedResult = (bytes: Buffer): { readonly data: Data } => new SerializedResult(bytes)

/** The JSON of a result that is kept as such; null for every other one. */
export const serializedBytes = (result: object): Buffer | null => SerializedResult.bytesOf(result)
