import { GraphQLError } from 'graphql'
import type { GatewayCode } from '../operations/errors.ts'

/** Why files of a client cannot be read or sent; `message` and `code` are for the client. */
export class UploadError extends Error {
  override readonly name = 'UploadError'
  readonly code: GatewayCode
  constructor(code: GatewayCode, message: string) {
    super(message)
    this.code = code
  }

  toGraphQL(): GraphQLError {
    return new GraphQLError(this.message, { extensions: { code: this.code } })
  }
}

/** A multipart request whose form is not that of the specification. */
export const malformed = (message: string): UploadError => new UploadError('UPLOAD_MALFORMED', message)

const STATUSES: Partial<Record<GatewayCode, number>> = { TIMEOUT: 408, UPLOAD_TOO_LARGE: 413, UNAVAILABLE: 503 }

/** The HTTP status of an upload that is refused before its operation runs. */
export const statusOfUpload = ({ code }: UploadError): number => STATUSES[code] ?? 400
