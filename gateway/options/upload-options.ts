import type { z } from 'zod'
import { createUploadReceiver, type UploadReceiver } from '../uploads/upload-receiver.ts'
import { options, wholeNumber } from './validate-options.ts'

/** File uploads by the GraphQL multipart request specification. */
export const uploadOptions = options({
  /** Highest bytes of one file; 0 takes no files. */
  maxFileBytes: wholeNumber(0, 10_000_000_000),
  /** Most files of one request. Default: 10. */
  maxFiles: wholeNumber(1, 100).optional(),
  /** Seconds for a request with its files and its answer. Default: 60. */
  timeoutSeconds: wholeNumber(1, 3_600).optional(),
  /** Requests with files that may run at once; others are refused. Default: 20. */
  maxConcurrency: wholeNumber(1, 1_000).optional(),
})

/** What takes multipart requests; null where options take none. */
export function uploadReceiverOf(uploads: z.output<typeof uploadOptions> | undefined): UploadReceiver | null {
  if (!uploads || uploads.maxFileBytes === 0) return null
  const { maxFileBytes, maxFiles = 10, timeoutSeconds = 60, maxConcurrency = 20 } = uploads
  return createUploadReceiver({ maxFileBytes, maxFiles, timeoutSeconds }, maxConcurrency)
}
