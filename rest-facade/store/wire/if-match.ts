import type { RequestFault } from './input.ts'

/**
 * An entity tag (RFC 9110 §8.8.3) that holds a version: weak or strong, and without quotes as some
 * clients send it.
 */
const VERSION_TAG = /^(?:W\/)?"?(\d{1,9})"?$/

/**
 * Reads the version in the header `If-Match`; undefined when it is absent or `*`, or invalid and
 * noted in `faults`.
 */
export function readExpectedVersion(header: string | string[] | undefined, faults: RequestFault[]): number | undefined {
  if (typeof header !== 'string' || header === '*') return undefined
  const version = VERSION_TAG.exec(header)?.[1]
  if (version !== undefined) return Number(version)
  faults.push({ field: 'If-Match', message: 'Expected `If-Match` to be a version in quotes, such as "3".' })
  return undefined
}
