import type { Config } from '../../platform/config/config.ts'
import { createUploadReceiver, type UploadReceiver } from './upload-receiver.ts'
import type { uploadVariables } from './variables.ts'

/** What takes multipart requests; null where settings take none. */
export const uploadsFromConfig = (config: Config<typeof uploadVariables>): UploadReceiver | null =>
  config.UPLOAD_MAX_FILE_BYTES === 0
    ? null
    : createUploadReceiver(
        {
          maxFileBytes: config.UPLOAD_MAX_FILE_BYTES,
          maxFiles: config.UPLOAD_MAX_FILES,
          timeoutSeconds: config.UPLOAD_TIMEOUT_SECONDS,
        },
        config.UPLOAD_MAX_CONCURRENCY,
      )
