import type { FileUpload } from './file-upload.ts'
import { UploadError } from './upload-error.ts'

/** A file that two requests to subgraphs need: its content goes by only once. */
export const usedTwice = ({ key, path }: FileUpload): UploadError =>
  new UploadError(
    'UPLOAD_CONFLICT',
    `Expected the file "${key}" (${path}) to be for one request to one subgraph, but several need it: send it once for each.`,
  )

/** A file before one that is needed first. */
export const tooLate = ({ key, path }: FileUpload): UploadError =>
  new UploadError(
    'UPLOAD_CONFLICT',
    `Expected the files in the order in which the operation needs them, but others are needed before "${key}" (${path}): send it after them.`,
  )
