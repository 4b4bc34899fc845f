import type { Readable } from 'node:stream'
import { type MultipartRequest, readMultipart, type UploadLimits } from './multipart-body.ts'
import { UploadError } from './upload-error.ts'

/** Takes multipart requests, on every transport together. */
export type UploadReceiver = {
  readonly limits: UploadLimits
  /**
   * Calls `use` with a request whose operations are known. Rejects with an `UploadError` for one
   * that cannot be read.
   */
  readonly receive: <Result>(
    source: Readable,
    contentType: string,
    use: (request: MultipartRequest) => Promise<Result>,
  ) => Promise<Result>
}

/** `maxConcurrency`: requests that are read at once; each takes some 200 kB. */
export function createUploadReceiver(limits: UploadLimits, maxConcurrency: number): UploadReceiver {
  let running = 0
  return {
    limits,
    async receive(source, contentType, use) {
      if (running >= maxConcurrency) {
        throw new UploadError('UNAVAILABLE', `Expected at most ${maxConcurrency} uploads at once: try again in a few seconds.`)
      }
      running++
      try {
        const request = await readMultipart(source, contentType, limits)
        try {
          return await use(request)
        } finally {
          request.uploads.close()
        }
      } finally {
        running--
      }
    },
  }
}
