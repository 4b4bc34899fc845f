import { freeBuffer } from '../../platform/process/free-buffer.ts'

type Data = Readonly<Record<string, unknown>>

/**
 * A result without errors that is kept as its JSON: `{"data":{…}}`, and nothing else. `data` is
 * parsed each time that it is read, also by spread and by `JSON.stringify`, so code that knows
 * nothing of this class only loses time.
 */
class SerializedResult {
  declare readonly data: Data
  /** Null after the bytes were freed. */
  #bytes: Buffer | null
  #isFreeable: boolean
  #isLent = false

  constructor(bytes: Buffer, isFreeable: boolean) {
    this.#bytes = bytes
    this.#isFreeable = isFreeable
    Object.defineProperty(this, 'data', PARSED_WHEN_READ)
  }

  static isOne(result: object): result is SerializedResult {
    return #bytes in result
  }

  static bytesOf(result: SerializedResult): Buffer {
    if (!result.#bytes) throw new Error('Expected a result whose response has not been sent yet.')
    return result.#bytes
  }

  static keep(result: SerializedResult): void {
    result.#isFreeable = false
  }

  /** Lent twice, the bytes are in two responses. */
  static lend(result: SerializedResult): Buffer {
    if (result.#isLent) result.#isFreeable = false
    result.#isLent = true
    return SerializedResult.bytesOf(result)
  }

  static free(result: SerializedResult): void {
    if (!result.#isFreeable || !result.#bytes) return
    const bytes = result.#bytes
    result.#bytes = null
    freeBuffer(bytes)
  }
}

/** An own property, because spread does not copy those of a prototype. */
const PARSED_WHEN_READ: PropertyDescriptor & ThisType<SerializedResult> = {
  enumerable: true,
  get(): Data {
    return JSON.parse(String(SerializedResult.bytesOf(this))).data
  },
}

/**
 * Keeps a result as its JSON, which must be valid and must have nothing but an object `data`.
 * `isFreeable`: nothing else has the bytes, so they may be freed once they are sent.
 */
export const serializedResult = (bytes: Buffer, isFreeable = false): { readonly data: Data } =>
  new SerializedResult(bytes, isFreeable)

/** Whether a result is kept as its JSON. */
export const isSerializedResult = (result: object): boolean => SerializedResult.isOne(result)

/** Lets a result be read after its response was sent. */
export function keepResult(result: object): void {
  if (SerializedResult.isOne(result)) SerializedResult.keep(result)
}

/** The JSON of a result that is kept as such, which is then never freed; null for every other one. */
export function serializedBytes(result: object): Buffer | null {
  if (!SerializedResult.isOne(result)) return null
  SerializedResult.keep(result)
  return SerializedResult.bytesOf(result)
}

/**
 * Like `serializedBytes`, with a function to be called when the bytes are sent. It frees them
 * unless somebody else has them too.
 */
export function lendBytes(result: object): { readonly bytes: Buffer; readonly free: () => void } | null {
  if (!SerializedResult.isOne(result)) return null
  return { bytes: SerializedResult.lend(result), free: () => SerializedResult.free(result) }
}
