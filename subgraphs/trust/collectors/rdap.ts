import { Fault, faultOf } from '../../../platform/outbound/fault.ts'
import type { OutboundResponse } from '../../../platform/outbound/http-client.ts'
import { readJson, statusFault } from '../../../platform/outbound/http-client.ts'
import type { RdapFacts } from '../evidence.ts'
import type { Collector, CollectorResult } from './collector.ts'
import { parseDomain, relatedDomain } from './rdap-response.ts'
import { rdapServiceOf } from './rdap-services.ts'
import { queryWhois } from './whois.ts'
import { type WhoisRegistry, whoisRegistryOf } from './whois-registries.ts'

const ACCEPT = 'application/rdap+json, application/json;q=0.5'
/** Registries answer a few kilobytes. */
const MAX_BYTES = 512 * 1024
const DAY_SECONDS = 86_400
/** How long a registry without RDAP is left alone after its WHOIS server gave no answer. Seconds. */
const WHOIS_RETRY_SECONDS = 600

/**
 * Queries the registry of the registrable domain about its registration, and its registrar when the
 * registry omits the date. A registry without RDAP is queried by WHOIS where that has dates; both
 * dates are the registry's own, with the same weight.
 */
export const collectRdap: Collector<'rdap'> = async ({ subject, parts, signal, now }) => {
  const { registrable } = subject
  if (registrable === null) return { status: 'skipped', reason: 'not_applicable', validFor: DAY_SECONDS }
  const service = await rdapServiceOf(parts.lists, registrable)
  const whois = parts.usesWhois && (service === 'none' || service === 'unknown') ? whoisRegistryOf(registrable) : null
  if (whois) return fromWhois(whois)
  if (service === 'none') return { status: 'skipped', reason: 'no_service', validFor: DAY_SECONDS }
  if (service === 'unknown') throw new Fault('unavailable', "IANA's list of registries was not loaded yet")

  const address = `${service.replace(/\/*$/, '/')}domain/${registrable}`
  const registry = new URL(address).host
  const queryRegistry = async (): Promise<CollectorResult<'rdap'>> => {
    const response = await fetchRdap(address)
    if (response.status === 404) {
      response.body.destroy()
      return { status: 'absent', reason: 'not_registered', validFor: 600 }
    }
    if (response.status !== 200) throw statusFault(response, now())
    const version = new URL(response.url).host
    const json = await readJson(response)
    const facts = parseDomain(json, registrable)
    const more = facts.registeredAt === null ? await fromRegistrar(json, [address, response.url]) : null
    const best = more ? { ...facts, registeredAt: more.registeredAt, expiresAt: facts.expiresAt ?? more.expiresAt } : facts
    return { status: 'ok', facts: best, version, validFor: validity(best) }
  }
  return parts.circuits.run(registry, () => parts.slots.run(registry, signal, queryRegistry))

  /**
   * Port 43 is closed in many networks, and servers count queries per address. Without an answer
   * the registry is one that publishes nothing: other clocks count, and nothing is missing.
   */
  async function fromWhois(registry: WhoisRegistry): Promise<CollectorResult<'rdap'>> {
    try {
      const facts = await queryWhois(registrable ?? '', registry, parts, signal)
      if (facts === null) return { status: 'absent', reason: 'not_registered', validFor: 600 }
      return { status: 'ok', facts, version: registry.server, validFor: validity(facts) }
    } catch (error) {
      parts.log.debug({ whois: registry.server, reason: faultOf(error).reason }, 'a WHOIS server gave no answer')
      return { status: 'skipped', reason: 'no_service', validFor: WHOIS_RETRY_SECONDS }
    }
  }

  function fetchRdap(url: string): Promise<OutboundResponse> {
    return parts.https.get(url, { signal, accept: ACCEPT, maxBytes: MAX_BYTES })
  }

  /**
   * One step further, never in a circle; whatever goes wrong there, the registry's answer stands.
   */
  async function fromRegistrar(json: unknown, requested: readonly string[]): Promise<RdapFacts | null> {
    const related = relatedDomain(json)
    if (related === null || requested.includes(related)) return null
    try {
      const response = await fetchRdap(related)
      if (response.status !== 200) throw statusFault(response, now())
      return parseDomain(await readJson(response), registrable ?? '')
    } catch {
      return null
    }
  }

  /** A day; an hour for a domain of less than a month, about which much changes. */
  function validity({ registeredAt }: RdapFacts): number {
    const isYoung = registeredAt !== null && now().getTime() / 1000 - registeredAt < 30 * DAY_SECONDS
    return isYoung ? 3_600 : DAY_SECONDS
  }
}
