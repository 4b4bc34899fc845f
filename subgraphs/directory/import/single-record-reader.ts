import type { ContributionFormat, Reader, SourceFile, Statement } from './contribution.ts'
import { asRecord } from './shape.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * A reader for a format whose file holds one record: an object that `recognises` knows by its
 * fields.
 */
export const singleRecordReader = (
  format: ContributionFormat,
  recognises: (fields: Fields) => boolean,
  statementOf: (fields: Fields, file: SourceFile) => Statement | string,
): Reader => ({
  format,
  recognises: (content) => {
    const fields = asRecord(content)
    return fields !== null && recognises(fields)
  },
  read: (content, file) => {
    const statement = statementOf(asRecord(content) ?? {}, file)
    const address = { origin: file.origin, path: file.path }
    return typeof statement === 'string'
      ? { contributions: [], skipped: [{ ...address, line: null, reason: statement }] }
      : { contributions: [{ ...address, locator: '', format, statement }], skipped: [] }
  },
})
