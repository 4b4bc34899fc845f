/**
 * Records what a running product answers to the samples of the reference, for
 * `web/reference/recorded-responses.json`: reads only, and of trust also decisions. Needs a product
 * with its demo store:
 *
 *     npx node scripts/reference/record-responses.ts [--url URL] [--only FACADE] --login LOGIN --authtoken AUTHTOKEN --key KEY
 *
 * LOGIN and AUTHTOKEN are of a store (`npx atrium store token reset demo`), KEY is one for trust.
 * Operations that are refused, as of apps that the demo store has none of, are not recorded.
 */
import { writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { lookupTable } from '../../platform/collections/lookup-table.ts'
import { contracts, type FacadeContract } from '../../web/reference/contract.ts'
import { sampleRequest } from '../../web/reference/operation.ts'
import { RECORDED_FILE, RECORDED_ORIGIN, recordedResponses } from '../../web/reference/recorded-responses.ts'

const { values: options } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://localhost:4000' },
    only: { type: 'string' },
    login: { type: 'string' },
    authtoken: { type: 'string' },
    key: { type: 'string' },
  },
})

/** Operations that write nothing that matters, besides all reads. */
const ALSO: ReadonlySet<string> = new Set(['decide', 'decideBatch'])
/** Documents of their own, not answers. */
const NOT: ReadonlySet<string> = new Set(['getOpenApi', 'getTrustOpenApi', 'getGuide'])
/** A store answers 20 requests a second from one address. */
const PAUSE_MS = 80
/** Entries of a list that show what an entry is. */
const MAX_ENTRIES = 2
/** Longer samples have one entry of their lists. */
const MAX_CHARACTERS = 5_000
/** Below an entry of a list, one is enough. */
const MAX_INNER_ENTRIES = 1

/** Secrets of the recorded product, by field, and what the reference shows in their place. */
const REDACTED = lookupTable({ hooks_token: 'c0ffee00c0ffee00' })

const recorded: Record<string, Record<string, unknown>> = { ...recordedResponses() }
for (const facade of contracts()) {
  if (options.only !== undefined && options.only !== facade.name) continue
  recorded[facade.name] = await record(facade)
  console.log(`${facade.name}: ${Object.keys(recorded[facade.name] ?? {}).length} operations`)
}
writeFileSync(RECORDED_FILE, `${JSON.stringify(recorded, null, 1)}\n`)

async function record({ base, contract }: FacadeContract): Promise<Record<string, unknown>> {
  const bodies: Record<string, unknown> = {}
  for (const [path, methods] of Object.entries(contract.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const id = operation.operationId
      if (NOT.has(id) || !(method === 'get' || ALSO.has(id))) continue
      const { address, body } = sampleRequest({ method, path: `${base}${path}`, operation }, contract, { publicUrl: options.url })
      await setTimeout(PAUSE_MS)
      const response = await fetch(address, {
        method,
        headers: {
          ...(options.login && { authorization: `Basic ${btoa(`${options.login}:${options.authtoken}`)}` }),
          ...(options.key && { 'x-api-key': options.key }),
          ...(body && { 'content-type': body.type }),
        },
        body: body ? JSON.stringify(body.value) : null,
      })
      if (!response.ok || !response.headers.get('content-type')?.startsWith('application/json')) {
        console.error(`${id}: ${response.status} ${address}`)
        continue
      }
      const text = await response.text()
      // A text that a response cuts short looks like a place to fill in.
      if (text.includes('…')) continue
      // An empty list shows nothing of its entries.
      if (/^(?:\[\]$|\{[^{}]*\[\][^{}]*\}$)/.test(text)) continue
      const whole: unknown = JSON.parse(text.replaceAll(options.url, RECORDED_ORIGIN))
      const short = cut(whole, MAX_ENTRIES)
      bodies[id] = JSON.stringify(short, null, 2).length > MAX_CHARACTERS ? cut(whole, 1) : short
    }
  }
  return bodies
}

function cut(value: unknown, entries: number): unknown {
  if (Array.isArray(value)) return value.slice(0, entries).map((each) => cut(each, MAX_INNER_ENTRIES))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, REDACTED[name] ?? cut(each, entries)]))
}
