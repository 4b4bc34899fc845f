import { Fault } from '../../../platform/outbound/fault.ts'
import { readJson, statusFault } from '../../../platform/outbound/http-client.ts'
import type { UnixSeconds } from '../evidence.ts'
import type { Collector, CollectorResult } from './collector.ts'
import { parseDate } from './rdap-response.ts'
import { asRecord, asSet, asText } from './untrusted-json.ts'

/**
 * Some thousand certificates, as crt.sh spells them. A domain with more has a history, and its
 * answer is refused.
 */
const MAX_BYTES = 4 * 1024 * 1024
const MAX_ISSUERS = 10
const DAY_SECONDS = 86_400

/**
 * Queries an index of certificate logs with crt.sh's JSON, where the operator has configured one.
 */
export const collectCt: Collector<'ct'> = async ({ subject: { registrable }, parts, signal, now }) => {
  if (parts.ctUrl === null) return { status: 'skipped', reason: 'not_configured', validFor: DAY_SECONDS }
  if (registrable === null) return { status: 'skipped', reason: 'not_applicable', validFor: DAY_SECONDS }
  const url = parts.ctUrl.replace('{domain}', registrable)
  const index = new URL(url).host
  return parts.circuits.run(index, () => parts.slots.run(index, signal, fromIndex))

  async function fromIndex(): Promise<CollectorResult<'ct'>> {
    const response = await parts.https.get(url, { signal, accept: 'application/json', maxBytes: MAX_BYTES })
    if (response.status !== 200) throw statusFault(response, now())
    const json = await readJson(response)
    if (!Array.isArray(json)) throw new Fault('malformed', 'Expected a list of certificates')
    const rows = json.map(asRecord)
    const dates = rows.flatMap((row): UnixSeconds[] => {
      const date = parseDate(row?.entry_timestamp) ?? parseDate(row?.not_before)
      return date === null ? [] : [date]
    })
    const issuers = asSet(rows.flatMap((row) => asText(row?.issuer_name, 200) ?? []))
    const firstSeenAt = dates.length > 0 ? dates.reduce((one, other) => Math.min(one, other)) : null
    return {
      status: 'ok',
      facts: { firstSeenAt, certificates: rows.length, issuers: issuers.slice(0, MAX_ISSUERS) },
      version: index,
      validFor: DAY_SECONDS,
    }
  }
}
