/**
 * Look-alikes of names outside of the registry of brands, by the popularity that ships.
 *
 *   node bench/look-alikes.ts NAMES.jsonl            the half that rules are tuned on
 *   node bench/look-alikes.ts NAMES.jsonl held-out   the other half
 *
 * The file has `{host, label, source}` per line: originals are the benign ones of the source
 * `popular-2023` with seven letters or more. `--list FILE` adds a popularity list, a name or
 * `rank,name` per line, as a downloaded one would be. The last figures are false alarms: popular
 * names, each as if it were in no list, and the benign names of other sources.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { brotliDecompressSync } from 'node:zlib'
import { popularNames } from '../subgraphs/trust/collectors/popular-names.ts'
import { neighbourNames, neighboursOf } from '../subgraphs/trust/collectors/popular-neighbours.ts'
import type { Evidence } from '../subgraphs/trust/evidence.ts'
import { decide } from '../subgraphs/trust/pipeline/decide.ts'
import { normalise } from '../subgraphs/trust/pipeline/normalise.ts'
import { CURRENT_POLICY } from '../subgraphs/trust/pipeline/policy.ts'
import { DEFAULT_INTERACTION, DEFAULT_PROFILE } from '../subgraphs/trust/pipeline/request.ts'
import { snapshotOf } from '../subgraphs/trust/pipeline/snapshot.ts'
import { byteOf, imitationsOf } from './trust/imitations.ts'

const { values, positionals } = parseArgs({ options: { list: { type: 'string' } }, allowPositionals: true })
const [file = '', half = 'tuned'] = positionals
const isMine = (text: string): boolean => byteOf(text) % 2 === (half === 'held-out' ? 1 : 0)
const linesOf = (path: string) => readFileSync(path, 'utf8').trim().split('\n')

const shipped = await popularNames()
const isShipped = (name: string) => shipped.namesWith(name.slice(0, name.indexOf('.'))).some((known) => known.name === name)
/** Ranks of the list; one without ranks has those of its lines. */
const listed = new Map(
  (values.list === undefined ? [] : linesOf(values.list)).map((line, index) => [line.split(',').at(-1) ?? '', index + 1]),
)

const AT = 1_795_176_000
/** Decides by the name and popularity alone; `isLeftOut`: as if the name were in no list. */
function isImitation(host: string, isLeftOut = false): boolean | null {
  const read = normalise('domain', host)
  if (read.kind === 'invalid') return null
  const { registrable } = read.target.name
  const rank = registrable === null || isLeftOut ? null : (listed.get(registrable) ?? shipped.rankOf(registrable))
  const neighbours = registrable === null || rank !== null ? [] : near(registrable)
  const facts = rank === null ? { ranks: [], neighbours } : { ranks: [{ list: 'list', listId: '', rank }] }
  const about = { subject: host, collectedAt: AT, validUntil: AT + 1, version: null }
  const evidence: Evidence = { source: 'popularity', evidence: { ...about, status: 'ok', facts } }
  const request = { target: read.target, interaction: DEFAULT_INTERACTION, profile: DEFAULT_PROFILE }
  const decision = decide(snapshotOf(read.target.host, AT, [evidence]), request, CURRENT_POLICY, null)
  return decision.reasonCodes.includes('BRAND_MISMATCH')
}

function near(registrable: string) {
  const ranked = neighbourNames(registrable).flatMap((name) => {
    const rank = listed.get(name)
    return rank === undefined ? [] : [{ name, rank }]
  })
  const byLabel = Map.groupBy(ranked, ({ name }) => name.slice(0, name.indexOf('.')))
  const found = neighboursOf(registrable, (label) => [...(byLabel.get(label) ?? []), ...shipped.namesWith(label)])
  return found.filter(({ name }) => name !== registrable)
}

const show = (what: string, hits: number, all: number) =>
  console.log(`${what.padEnd(62)} ${((100 * hits) / all).toFixed(2)} % (${hits} of ${all})`)

const rows = linesOf(file).map((line) => JSON.parse(line) as { host: string; label: string; source: string })
const benign = rows.filter(({ label }) => label === 'benign')
const registry = (host: string): boolean => {
  const read = normalise('domain', host)
  if (read.kind === 'invalid') return false
  const request = { target: read.target, interaction: DEFAULT_INTERACTION, profile: DEFAULT_PROFILE }
  return decide(snapshotOf(read.target.host, AT, []), request, CURRENT_POLICY, null).reasonCodes.includes('BRAND_MISMATCH')
}
const found = { all: [0, 0], known: [0, 0], other: [0, 0] }
for (const { host, source } of benign) {
  const read = normalise('domain', host)
  const isOriginal = source === 'popular-2023' && /^[a-z]{7,}\.[a-z]+$/.test(host) && read.kind !== 'invalid'
  if (!isOriginal || read.target.name.registrable !== host || !isMine(host)) continue
  const looks = imitationsOf(host)
  if (looks.some(registry)) continue
  const hits = looks.filter((look) => isImitation(look)).length
  for (const part of [found.all, listed.has(host) || isShipped(host) ? found.known : found.other]) {
    part[0] = (part[0] ?? 0) + hits
    part[1] = (part[1] ?? 0) + looks.length
  }
}
show(`${half}: look-alikes that were detected`, found.all[0] ?? 0, found.all[1] ?? 0)
show('  their original is known', found.known[0] ?? 0, found.known[1] ?? 0)
show('  their original is in no list', found.other[0] ?? 0, found.other[1] ?? 0)

const popular = brotliDecompressSync(readFileSync(new URL('../subgraphs/trust/collectors/popular-names.txt.br', import.meta.url)))
  .toString()
  .split('\n')
  .flatMap((line) => line.split(' ', 1)[0] || [])
  .filter((name) => isMine(name) && byteOf(`left out ${name}`) < 26)
show('  popular names, each as if it were in no list', popular.filter((name) => isImitation(name, true)).length, popular.length)
const others = benign.filter(({ host, source }) => source !== 'popular-2023' && isMine(host))
show('  random names', others.filter(({ host }) => isImitation(host)).length, others.length)
