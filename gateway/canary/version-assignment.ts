import { hash } from 'node:crypto'
import { ownValue } from '../../platform/collections/lookup-table.ts'
import type { RequestContext } from '../subgraph-client/link.ts'

/** Who gets the candidate. */
export type AssignmentRules = {
  /** Header whose value identifies a caller; absent: credentials, or else the address. */
  readonly header?: string | undefined
  /** Requests with this header and value get the candidate at any percentage. */
  readonly optIn?: { readonly header: string; readonly value: string } | undefined
}

/** Distinct shares of callers: hundredths of a percent. */
const SHARE_COUNT = 10_000

/**
 * Assigns callers to a candidate: the same caller for as long as the percentage does not shrink,
 * also in other copies of the gateway. `candidateId` makes the callers others for each candidate.
 */
export function createAssignment({ header, optIn }: AssignmentRules, candidateId: string) {
  const nameOfOptIn = optIn?.header.toLowerCase()
  const nameOfHeader = header?.toLowerCase()
  return (context: RequestContext, percent: number): boolean => {
    if (nameOfOptIn !== undefined && headerOf(context, nameOfOptIn) === optIn?.value) return true
    if (percent <= 0) return false
    if (percent >= 100) return true
    const digest = hash('sha256', JSON.stringify([candidateId, identityOf(context, nameOfHeader)]), 'buffer')
    return (digest.readUInt32BE(0) % SHARE_COUNT) * (100 / SHARE_COUNT) < percent
  }
}

function identityOf(context: RequestContext, header: string | undefined): unknown {
  const value = header === undefined ? undefined : headerOf(context, header)
  if (value !== undefined) return value
  const { credentials, address } = context.caller
  const entries = Object.entries(credentials)
  return entries.length > 0 ? entries.sort(([one], [other]) => (one < other ? -1 : 1)) : address
}

/** A header of the client; of programs, a credential. */
function headerOf({ http, caller }: RequestContext, name: string): string | undefined {
  const value = ownValue<string | string[] | undefined>(http?.headers ?? caller.credentials, name)
  return Array.isArray(value) ? value.join(', ') : value
}
