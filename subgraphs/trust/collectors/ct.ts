import { Fault } from '../../../platform/outbound/fault.ts'
import { readJson, statusFault } from '../../../platform/outbound/http-client.ts'
import type { UnixSeconds } from '../evidence.ts'
import type { Collector, Told } from './collector.ts'
import { readDate } from './rdap-answer.ts'
import { asRecord, asSet, asText } from './shape.ts'

/** Some thousand certificates, as crt.sh spells them. A domain with more has a history, and its answer is refused. */
const MAX_BYTES = 4 * 1024 * 1024
const ISSUERS = 10
const DAY = 86_400

/** Asks an index of certificate logs that speaks crt.sh's JSON, where the operator has named one. */
export const collectCt: Collector<'ct'> = async ({ subject: { registrable }, parts, signal, now }) => {
  if (parts.ctUrl === null) return { status: 'skipped', reason: 'not_configured', validFor: DAY }
  if (registrable === null) return { status: 'skipped', reason: 'not_applicable', validFor: DAY }
  const url = parts.ctUrl.replace('{domain}', registrable)
  const index = new URL(url).host
  return parts.circuits.through(index, () => parts.places.run(index, signal, fromIndex))

  async function fromIndex(): Promise<Told<'ct'>> {
    const response = await parts.https.get(url, { signal, accept: 'application/json', maxBytes: MAX_BYTES })
    if (response.status !== 200) throw statusFault(response, now())
    const json = await readJson(response)
    if (!Array.isArray(json)) throw new Fault('malformed', 'Expected a list of certificates')
    const rows = json.map(asRecord)
    const dates = rows.flatMap((row): UnixSeconds[] => {
      const date = readDate(row?.entry_timestamp) ?? readDate(row?.not_before)
      return date === null ? [] : [date]
    })
    const issuers = asSet(rows.flatMap((row) => asText(row?.issuer_name, 200) ?? []))
    const firstSeenAt = dates.length > 0 ? dates.reduce((one, other) => Math.min(one, other)) : null
    return {
      status: 'ok',
      facts: { firstSeenAt, certificates: rows.length, issuers: issuers.slice(0, ISSUERS) },
      version: index,
      validFor: DAY,
    }
  }
}
