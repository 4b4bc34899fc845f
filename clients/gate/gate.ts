import type { lookup } from 'node:dns'
import { textOf } from '../evidence/content.ts'
import { type EvidenceRating, rateEvidence } from '../evidence/rate.ts'
import type { ContentRisk } from '../evidence/risk.ts'
import type { TrustClient } from '../trust/client.ts'
import { ACTIONS, type Decision, type Outcome, type Policy } from '../trust/decision.ts'
import { groupOf } from '../trust/group.ts'
import { subjectOf } from '../trust/target.ts'
import { extract } from './extraction.ts'
import { readPage, sourceOf } from './source.ts'
import { type Standing, type Use, useOf } from './use.ts'
import { type Fetched, web } from './web.ts'

export type GateOptions = {
  /** Null: no trust decisions, so only local files are read and web pages are held. */
  readonly client: TrustClient | null
  readonly policy?: Policy
  /**
   * Allows connections to addresses that are not public. Atrium denies such addresses when they are
   * the target; this option concerns host names that resolve to them. Default: false.
   */
  readonly allowPrivate?: boolean
  /** Maximum size of a page after decompression. Default: 5,000,000 bytes. */
  readonly maxBytes?: number
  /**
   * Timeout for fetching a page with its redirects, and again for extracting its text. Default:
   * 15,000 ms.
   */
  readonly timeoutMs?: number
  /** DNS lookup. Default: the system's resolver. */
  readonly lookup?: typeof lookup
}

export type GatedSource = {
  /** The source as passed in. */
  readonly source: string
  readonly standing: Standing
  /** Strictest decision of the source and its redirects; null for files and unverified sources. */
  readonly decision: Decision | null
  /** Null: the source was not read. */
  readonly rating: EvidenceRating | null
  /**
   * Marks of prompt injection. Spans of the body are those of `content.text`. Null: the source was
   * not read.
   */
  readonly risk: ContentRisk | null
  readonly use: Use
  /** Reasons for `use`, one sentence each. */
  readonly why: readonly string[]
  /** Extracted text; null when `use` is none. `url` is the last URL after redirects. */
  readonly content: { readonly url: string; readonly title: string | null; readonly text: string } | null
}

/** Batch limit of Atrium's API. */
export const MAX_SOURCES = 100

/** Pages fetched and extracted concurrently. */
const MAX_CONCURRENT_PAGES = 4

/**
 * Decides which candidate sources may be cited: gets a trust decision for each, then reads,
 * extracts and rates those that may be read. Never fetches denied or unverified sources, or sources
 * that need human review. Results are in the order of `sources`. Throws a RangeError for more than
 * 100 sources.
 */
export async function gateSources(sources: readonly string[], options: GateOptions): Promise<readonly GatedSource[]> {
  if (sources.length > MAX_SOURCES) throw new RangeError(`Expected at most ${MAX_SOURCES} sources, got ${sources.length}.`)
  const { client, policy, allowPrivate = false, maxBytes = 5_000_000, timeoutMs = 15_000, lookup: resolver } = options
  const question = (url: URL) => ({ target: url.href, ...(policy && { policy }) })

  const candidates = sources.map((source) => ({ source, ...sourceOf(source) }))
  const pages = candidates.filter((candidate) => candidate.kind === 'web')
  // One decision per host, which costs one scan; one per URL with `sendPath`.
  const siteOf = (url: URL): string => subjectOf(url.href, client?.sendPath).value
  const urls = [...new Map(pages.map(({ url }) => [siteOf(url), url])).values()]
  const outcomes = client ? await client.decideAll(urls.map(question)) : []
  const outcomeOf = new Map(urls.map((url, index) => [siteOf(url), outcomes[index] ?? noClient]))

  const browser = web({ allowPrivate, maxBytes, timeoutMs, ...(resolver && { lookup: resolver }) })

  async function gateSource(candidate: (typeof candidates)[number]): Promise<GatedSource> {
    const { source } = candidate
    if (candidate.kind === 'invalid') return heldSource(source, 'unverified', null, candidate.reason)
    if (candidate.kind === 'file') return rateSource(source, 'local', null, await readPage(candidate.path, maxBytes))

    const outcome = outcomeOf.get(siteOf(candidate.url)) ?? noClient
    if (outcome.kind !== 'decided') return heldSource(source, groupOf(outcome), null, outcome.message)
    if (!mayBeRead(outcome.decision)) return heldSource(source, groupOf(outcome), outcome.decision, notRead(outcome.decision))

    let strictest = outcome.decision
    const cleared = new Set([siteOf(candidate.url)])
    const page = await browser.get(candidate.url, async (next) => {
      if (cleared.has(siteOf(next))) return null
      cleared.add(siteOf(next))
      const further = client ? await client.decide(question(next)) : noClient
      if (further.kind !== 'decided') return further.message
      if (isStricter(further.decision, strictest)) strictest = further.decision
      return mayBeRead(further.decision) ? null : notRead(further.decision)
    })
    return rateSource(source, groupOf({ kind: 'decided', decision: strictest }), strictest, page)
  }

  async function rateSource(source: string, standing: Standing, decision: Decision | null, page: Fetched): Promise<GatedSource> {
    if (page.kind === 'failed') return heldSource(source, standing, decision, page.reason)
    const extracted = await extract({ format: page.format, text: page.text }, timeoutMs)
    if (extracted.kind === 'failed') return heldSource(source, standing, decision, extracted.reason)
    const rating = rateEvidence(extracted.content)
    const { risk } = extracted
    const use = useOf(standing, rating, risk)
    return {
      source,
      standing,
      decision,
      rating,
      risk,
      use,
      why: [standingText(standing, decision), ratingText(rating), ...riskTexts(risk)],
      content: use === 'none' ? null : { url: page.url, title: extracted.content.title, text: textOf(extracted.content) },
    }
  }

  try {
    const results: GatedSource[] = []
    const waiting = candidates.entries()
    const work = async () => {
      for (const [index, candidate] of waiting) results[index] = await gateSource(candidate)
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT_PAGES }, work))
    return results
  } finally {
    await browser.close()
  }
}

const noClient: Outcome = {
  kind: 'unverified',
  reason: 'unreachable',
  message: 'It was not checked.',
  retryAfterSeconds: null,
}

const mayBeRead = ({ action }: Decision): boolean => action !== 'deny' && action !== 'escalate_to_human'

const isStricter = (one: Decision, other: Decision): boolean => ACTIONS.indexOf(one.action) > ACTIONS.indexOf(other.action)

const notRead = (decision: Decision): string =>
  decision.action === 'deny'
    ? `It is denied: ${decision.reasonCodes.join(', ')}.`
    : `A person has to decide first: ${decision.reasonCodes.join(', ')}.`

const heldSource = (source: string, standing: Standing, decision: Decision | null, reason: string): GatedSource => ({
  source,
  standing,
  decision,
  rating: null,
  risk: null,
  use: 'none',
  why: [...(decision && mayBeRead(decision) ? [standingText(standing, decision)] : []), reason],
  content: null,
})

const standingText = (standing: Standing, decision: Decision | null): string =>
  decision === null
    ? 'It is a file of yours.'
    : `It is ${standing}: ${decision.action}, ${Math.round(100 * decision.confidence)} % sure (${decision.reasonCodes.join(', ')}).`

const ratingText = ({ usability, codes, measured }: EvidenceRating): string =>
  `Its text is of ${usability} usability: ${codes.join(', ')}, ${measured.body} words.`

/** Nothing for a text without marks. */
const riskTexts = ({ level, score, categories, unexamined }: ContentRisk): readonly string[] => [
  ...(level === 'none'
    ? []
    : [`Its content is of ${level} risk for a model that reads it: ${categories.join(', ')}, ${score} of 100.`]),
  ...(unexamined > 0 ? [`The last ${unexamined} characters were not examined for prompt injection.`] : []),
]
