import type { Block, ExtractedContent } from './content.ts'
import { wordsIn } from './words.ts'

/** Completeness of a captured page, best first. */
export const TIERS = ['body_text_captured', 'partial', 'title_only', 'boilerplate_dominant', 'unusable'] as const
export type Tier = (typeof TIERS)[number]

/** How far an agent may rely on captured text. Only `high` may be cited. */
export type Usability = 'high' | 'medium' | 'low' | 'none'

const TIER_RATINGS: Readonly<Record<Tier, { readonly usability: Usability; readonly code: TierCode }>> = {
  body_text_captured: { usability: 'high', code: 'FULL_ARTICLE_BODY' },
  partial: { usability: 'medium', code: 'ARTICLE_BODY_PARTIAL' },
  title_only: { usability: 'low', code: 'TITLE_ONLY_EVIDENCE' },
  boilerplate_dominant: { usability: 'low', code: 'BOILERPLATE_DOMINANT' },
  unusable: { usability: 'none', code: 'NO_CONTENT_EXTRACTED' },
}

type TierCode =
  | 'FULL_ARTICLE_BODY'
  | 'ARTICLE_BODY_PARTIAL'
  | 'TITLE_ONLY_EVIDENCE'
  | 'BOILERPLATE_DOMINANT'
  | 'NO_CONTENT_EXTRACTED'

/** Code of the tier, or of a reason for it. */
export type EvidenceCode =
  | TierCode
  | 'SHORT_BODY'
  | 'TEXT_BREAKS_OFF'
  | 'ACCESS_RESTRICTED'
  | 'SHORTER_THAN_DECLARED'
  | 'TEXT_NOT_READABLE'

export type EvidenceRating = {
  readonly tier: Tier
  readonly usability: Usability
  /** Code of the tier first, then those of the reasons. */
  readonly codes: readonly EvidenceCode[]
  /** Word counts, rounded. */
  readonly measured: { readonly body: number; readonly boilerplate: number }
}

/**
 * Minimum words of a content block; with the third of links allowed and the other numbers in
 * `isContent` from the decision tree of Kohlschütter, Fankhauser and Nejdl ("Boilerplate Detection
 * using Shallow Text Features", WSDM 2010).
 */
const BLOCK_WORDS = 16

/**
 * Words of the shortest complete article. Teasers of paywalls have one to three paragraphs, mostly
 * below 120 words; agency reports begin around 150.
 */
const FULL_WORDS = 150

/**
 * Minimum share of body text in the extracted words: below it an agent would mostly read
 * boilerplate.
 */
const BODY_SHARE = 0.5

/**
 * Minimum share of the declared word count. Publishers also count captions and boxes, but that
 * hardly doubles the count.
 */
const DECLARED_SHARE = 0.5

/**
 * Maximum share of replacement, control, private-use and unassigned characters. Real text has below
 * 1 %, a wrong encoding or a binary file about a third.
 */
const UNREADABLE_SHARE = 0.05

const UNREADABLE = /[\uFFFD\p{Co}\p{Cn}]|(?![\t\n\r\f])\p{Cc}/gu

/**
 * Truncated text ends with an ellipsis in any language; a quotation mark, bracket or arrow may
 * follow.
 */
const BREAKS_OFF = /(?:…|\.{3}|\[\s*(?:…|\.{3})\s*\])[\s"'”’»)\]›→]*$/u

/**
 * Rates how complete extracted text is. Pure and independent of language: uses lengths, links and
 * punctuation, no vocabulary.
 */
export function rateEvidence(content: ExtractedContent): EvidenceRating {
  const blocks = measured(content.blocks)
  const body = blocks.filter((block, index) => isContent(block, blocks[index - 1], blocks[index + 1]))
  const bodyWords = sum(body)
  const boilerplateWords = sum(blocks) - bodyWords + content.leftOutWords

  const rated = (tier: Tier, ...reasons: EvidenceCode[]): EvidenceRating => ({
    tier,
    usability: TIER_RATINGS[tier].usability,
    codes: [TIER_RATINGS[tier].code, ...reasons],
    measured: { body: Math.round(bodyWords), boilerplate: Math.round(boilerplateWords) },
  })

  if (!isReadable([content.title ?? '', ...content.blocks.map(({ text }) => text)].join(' '))) {
    return rated('unusable', 'TEXT_NOT_READABLE')
  }
  if (bodyWords < BLOCK_WORDS) {
    if (boilerplateWords >= BLOCK_WORDS) return rated('boilerplate_dominant')
    return rated(wordsIn(content.title ?? '') > 0 ? 'title_only' : 'unusable')
  }
  if (bodyWords < BODY_SHARE * sum(blocks)) return rated('boilerplate_dominant')

  const shortcomings = [
    ...(bodyWords < FULL_WORDS ? ['SHORT_BODY' as const] : []),
    ...(BREAKS_OFF.test(body.at(-1)?.text ?? '') ? ['TEXT_BREAKS_OFF' as const] : []),
    ...(content.isRestricted ? ['ACCESS_RESTRICTED' as const] : []),
    ...(bodyWords < DECLARED_SHARE * (content.declaredWords ?? 0) ? ['SHORTER_THAN_DECLARED' as const] : []),
  ]
  return rated(shortcomings.length > 0 ? 'partial' : 'body_text_captured', ...shortcomings)
}

type Measured = { readonly text: string; readonly words: number; readonly linkShare: number }

/** Word counts of distinct blocks: templates and spam repeat blocks, articles do not. */
function measured(blocks: readonly Block[]): Measured[] {
  const seen = new Set<string>()
  return blocks.flatMap(({ text, linked }) => {
    const words = wordsIn(text)
    if (words === 0 || seen.has(text)) return []
    seen.add(text)
    return [{ text, words, linkShare: Math.min(1, wordsIn(linked) / words) }]
  })
}

/**
 * Whether a block is body text and not boilerplate, by its words and links and those of its
 * neighbours.
 */
function isContent({ words, linkShare }: Measured, before: Measured | undefined, after: Measured | undefined): boolean {
  if (linkShare > 1 / 3) return false
  const [wordsBefore, wordsAfter] = [before?.words ?? 0, after?.words ?? 0]
  if ((before?.linkShare ?? 0) > 5 / 9) return words > 40 || wordsAfter > 17
  return words > BLOCK_WORDS || wordsAfter > 15 || wordsBefore > 4
}

function isReadable(text: string): boolean {
  return (text.match(UNREADABLE)?.length ?? 0) <= UNREADABLE_SHARE * text.length
}

const sum = (blocks: readonly Measured[]): number => blocks.reduce((words, block) => words + block.words, 0)
