/**
 * Makes `popular-names.txt.br` and `popular-labels.bin.br` from published lists, one name per line
 * each, and from filter lists of content blockers:
 *
 *   node subgraphs/trust/collectors/build-popular-names.ts --earlier crux-of-2023.txt crux-origins.txt majestic-domains.txt easylist.txt easyprivacy.txt
 *
 * The first has hosts of the first million origins of the Chrome UX Report (CC BY-SA 4.0), the
 * second the first 10,000 domains of the Majestic Million (CC BY 3.0). Neither has ranks, so that
 * three steps stand for them: a domain with at least ten hosts in the first that is in the second
 * counts as one of the first 1,000; one that is in both, or has twelve hosts, as one of the first
 * 10,000; one with two hosts as one of the first 100,000. All others are in the second file, and so are the
 * domains that filters are for or block (EasyList and EasyPrivacy, CC BY-SA 3.0 or later): sites that
 * many people visit, and servers that many pages use. `--earlier` names an older list like the first:
 * two in five of its domains are not in the newer one, and are imitated still.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { brotliCompressSync, constants } from 'node:zlib'
import { getDomain } from 'tldts'
import { packLabels } from './popular-labels.ts'
import { POPULAR_STEPS } from './popular-names.ts'

const { values, positionals } = parseArgs({
  options: { earlier: { type: 'string', multiple: true, default: [] } },
  allowPositionals: true,
})
const [cruxFile = '', majesticFile = '', ...filterFiles] = positionals
const linesOf = (file: string) => readFileSync(file, 'utf8').split(/\s+/).filter(Boolean)

const hosts = new Map<string, Set<string>>()
for (const host of linesOf(cruxFile)) {
  const domain = getDomain(host)
  if (domain === null || !/^[a-z0-9.-]+$/.test(domain)) continue
  const found = hosts.get(domain) ?? new Set()
  // A site with and without these is one.
  hosts.set(domain, found.add(host.replace(/^(?:www|m)\./, '')))
}
const linked = new Set(linesOf(majesticFile).filter((domain) => hosts.has(domain)))

const stepOf = (domain: string): number | null => {
  const count = hosts.get(domain)?.size ?? 0
  if (linked.has(domain)) return count >= 10 ? 0 : 1
  return count >= 12 ? 1 : count >= 2 ? 2 : null
}
const lines = [...hosts.keys()].flatMap((domain) => {
  const step = stepOf(domain)
  return step === null ? [] : [`${domain} ${step}\n`]
})
const text = Buffer.from(lines.sort().join(''))
// Shorter labels are in every word, and neither names in other letters nor long ones are searched for.
const filtered = filterFiles.flatMap((file) => namesOfFilters(readFileSync(file, 'utf8')))
const rest = [...hosts.keys()].filter((domain) => stepOf(domain) === null && /^(?!xn--)[a-z0-9-]{5,40}\./.test(domain))
// Of names that are less known, labels of seven letters have too many honest neighbours.
const earlier = values.earlier.flatMap((file) => linesOf(file).flatMap((host) => getDomain(host) ?? []))
const longNames = [...filtered, ...earlier].filter(
  (domain) => /^(?!xn--)[a-z0-9-]{8,40}\.[a-z0-9.-]+$/.test(domain) && !hosts.has(domain),
)
const others = [...rest, ...new Set(longNames)]
const table = packLabels(others)
const counts = POPULAR_STEPS.map((rank, step) => `${lines.filter((line) => line.endsWith(` ${step}\n`)).length} of ${rank}`)
console.log(
  `${lines.length} names (${counts.join(', ')}), ${text.length} bytes, ${writePacked('popular-names.txt.br', text)} packed.`,
)
console.log(`${others.length} others, ${table.length} bytes, ${writePacked('popular-labels.bin.br', table)} packed.`)

/** Domains that rules are for (`a.com,b.com##`, `domain=a.com|b.com`) or that they block (`||a.com^`). */
function namesOfFilters(text: string): string[] {
  const lists = [...text.matchAll(/^([a-z0-9.,~-]+)#|[$,]domain=([^,\n]+)|^(?:@@)?\|\|([a-z0-9.-]+)[\^/$\n]/gm)]
  const found = lists.flatMap(([, page = '', option = '', blocked = '']) => `${page},${option},${blocked}`.split(/[,|~]/))
  return found.flatMap((host) => getDomain(host) ?? []).filter((domain) => /^[a-z0-9.-]+$/.test(domain))
}

/** Writes a file beside this one; its size in bytes. */
function writePacked(file: string, content: Buffer): number {
  const packed = brotliCompressSync(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 22,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  })
  writeFileSync(join(import.meta.dirname, file), packed)
  return packed.length
}
