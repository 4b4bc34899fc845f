import type { Block, ExtractedContent } from './content.ts'
import { wordsIn } from './words.ts'

/** What was captured of a page, best first. */
export const TIERS = ['body_text_captured', 'partial', 'title_only', 'boilerplate_dominant', 'unusable'] as const
export type Tier = (typeof TIERS)[number]

/** How far an agent may rely on what was captured. Only `high` is fit to be cited. */
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

/** The code of the tier, or what led to it. */
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
  /** The tier's code first, then what led to it. */
  readonly codes: readonly EvidenceCode[]
  /** In words, rounded. */
  readonly measured: { readonly body: number; readonly boilerplate: number }
}

/**
 * Where a short block begins to be a text of its own, and how much of a block may be links: 16
 * words, and a third. Both, like the rest of `isContent`, are the tree that Kohlschütter,
 * Fankhauser and Nejdl learned from news pages ("Boilerplate Detection using Shallow Text
 * Features", WSDM 2010).
 */
const BLOCK_WORDS = 16

/**
 * The shortest whole article. Teasers before a paywall are one to three paragraphs, mostly below
 * 120 words; reports of agencies begin around 150.
 */
const FULL_WORDS = 150

/**
 * Body must be at least half of what was extracted: below that, most of what an agent would read is
 * not the article.
 */
const BODY_SHARE = 0.5

/**
 * A page that claims a length has been captured when half of it is there: counts differ with what
 * is counted, captions and boxes, but hardly twofold.
 */
const DECLARED_SHARE = 0.5

/**
 * Replacement, control, private and unassigned characters are below a hundredth in any text, and
 * about a third of what a wrong encoding or a binary file shows.
 */
const UNREADABLE_SHARE = 0.05

const UNREADABLE = /[\uFFFD\p{Co}\p{Cn}]|(?![\t\n\r\f])\p{Cc}/gu

/**
 * A text that was cut ends with an ellipsis, in whatever language. A closing quotation mark,
 * bracket or link arrow may follow.
 */
const BREAKS_OFF = /(?:…|\.{3}|\[\s*(?:…|\.{3})\s*\])[\s"'”’»)\]›→]*$/u

/**
 * How fit for use an extracted text is. Pure and of no language: lengths, links and marks decide,
 * no word is known.
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

/**
 * A text that stands there again and again is one text: templates and spam repeat, articles do not.
 */
function measured(blocks: readonly Block[]): Measured[] {
  const seen = new Set<string>()
  return blocks.flatMap(({ text, linked }) => {
    const words = wordsIn(text)
    if (words === 0 || seen.has(text)) return []
    seen.add(text)
    return [{ text, words, linkShare: Math.min(1, wordsIn(linked) / words) }]
  })
}

/** Whether a block belongs to the text rather than to its surroundings; looks at its neighbours. */
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
