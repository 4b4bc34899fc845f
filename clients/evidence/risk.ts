import { hasForeignForms, latinLookAlike } from './confusable-letters.ts'
import type { HiddenKind, HiddenText } from './content.ts'
import { encodedTexts, holdsWords, rot13 } from './encoded-text.ts'
import { type FoldedText, foldedText, hasUnseen } from './folded-text.ts'
import { enclosing, type Quotations, quotationsIn, type Span, spansOf } from './quotation.ts'
import { LANGUAGE_RULES } from './risk-languages.ts'
import { ENGLISH_RULES, INVISIBLE_RULES, MARKUP_RULES, RISK_CATEGORIES, type RiskCategory, type RiskRule } from './risk-rules.ts'
import { visibleText } from './visible-text.ts'

/** How likely a text attacks the model that reads it: `none` without findings, `high` from 80 points. */
export const RISK_LEVELS = ['none', 'low', 'medium', 'high'] as const
export type RiskLevel = (typeof RISK_LEVELS)[number]

/** A mark of an attack. Nothing is removed from the text. */
export type RiskFinding = {
  readonly rule: string
  readonly category: RiskCategory
  /** 0 to 100: how much it says by itself. */
  readonly points: number
  /** Text that has the mark: the body, the title, or a text of `hidden`. */
  readonly part: 'text' | 'title' | HiddenKind
  /** Index in `hidden`; null for the body and the title. */
  readonly hidden: number | null
  /** Span in that text as it was passed in; UTF-16 units, the end exclusive. */
  readonly start: number
  readonly end: number
  /** Up to 200 characters of it, invisible ones written out. */
  readonly excerpt: string
  /** Quoted by a text about attacks or interfaces, which counts for less. */
  readonly isQuoted: boolean
}

export type ContentRisk = {
  readonly level: RiskLevel
  /** 0 to 100. */
  readonly score: number
  /** Categories of findings, in the order of `RISK_CATEGORIES`. */
  readonly categories: readonly RiskCategory[]
  /** The first hundred, in the order of the texts and of the spans. */
  readonly findings: readonly RiskFinding[]
  /** Texts with findings that readers of the page do not see. */
  readonly hidden: readonly HiddenText[]
  /** Characters at the end of the text that were not examined, because it is too long. */
  readonly unexamined: number
}

/** Text to be examined, with what its page hides. */
export type RiskInput = { readonly text: string; readonly title?: string | null; readonly hidden?: readonly HiddenText[] }

/** Some 80,000 words; a whole book is longer, an article never. */
const MAX_EXAMINED_LENGTH = 500_000
const MAX_FINDINGS = 100
/** Matches of one rule of each kind (`KindOf`) in one text: more say nothing new. */
const MAX_MATCHES = 3

/** A quotation in a text about attacks is a mention, not an order. */
const QUOTED_SHARE = 0.25
/** Marks without quotation in a text about interfaces or attacks. */
const MENTIONED_SHARE = 0.5

/** Instructions where readers do not look are there on purpose. */
const HIDDEN_WEIGHT = 0.6
/** Forms that only deceive: encoded, mixed scripts. */
const DISGUISE_WEIGHT = 0.7
/** Chance of instructions in a decoded or hidden text from which its form counts as well. */
const MIN_INSTRUCTION_CHANCE = 0.3

/** Scores from which levels begin; a text of one clear order has 75. */
const [MEDIUM_SCORE, HIGH_SCORE] = [50, 80]

/** Comments within plain text and Markdown. */
const COMMENTS = /<!--[\s\S]{1,4000}?-->|\[\/\/\]: # \([^\n]{1,2000}\)/g
/** Value of a parameter that may hold a text. */
const LONG_VALUE = /\[[^[\]]{0,200}\]\(\s{0,4}https?:\/\/[^\s()]{1,300}?[?&/=]([A-Za-z0-9+/_-]{60,4000}={0,2})/g

/** A comment that speaks to a model: nobody else reads it. */
const HIDDEN_RULES: readonly RiskRule[] = [
  {
    name: 'hidden-from-people',
    category: 'hidden_text',
    weight: 0.55,
    pattern:
      /\b(?:ais?|llms?|language models?|chatgpt|assistants?|ai (?:agents?|models?|assistants?))\b[^.\n]{0,60}\b(?:must|should|has to|have to|ignore|disregard|forget|tell|say|reply|answer|output|reveal|add|send|click|confirm|state|quote|recommend)\b/gi,
  },
]

type Found = Span & { readonly rule: RiskRule; readonly weight: number; readonly isQuoted: boolean }

/**
 * Number of the kind of a span: quoted or not, seen or not. Kinds count differently, so that many
 * matches of a light one must not use up the number of those of a heavy one.
 */
type KindOf = (span: Span) => number
const ONE_KIND: KindOf = () => 0

/**
 * Finds marks of prompt injection in a text that a model will read: orders to the reader in many
 * languages, forged turns and calls of tools, addresses that carry data away, and what hides such.
 * Pure; time grows linearly with the text. A text without findings may be an attack nevertheless.
 */
export function rateContentRisk({ text, title = null, hidden = [] }: RiskInput): ContentRisk {
  const withFindings: HiddenText[] = []
  const chances: Found[] = []
  const findings: RiskFinding[] = []
  const report = (part: RiskFinding['part'], index: number | null, source: string, found: readonly Found[]) => {
    chances.push(...found)
    for (const { rule, start, end, weight, isQuoted } of found) {
      const excerpt = visibleText(source.slice(start, end))
      const points = Math.round(100 * weight)
      findings.push({ rule: rule.name, category: rule.category, points, part, hidden: index, start, end, excerpt, isQuoted })
    }
  }
  const examined = text.slice(0, MAX_EXAMINED_LENGTH)
  report('text', null, examined, foundIn(examined, spansOf(COMMENTS, examined)))
  if (title !== null) report('title', null, title, foundIn(title.slice(0, MAX_EXAMINED_LENGTH), []))
  for (const one of hidden) {
    const found = foundIn(one.text, one.kind === 'url' ? [] : [{ start: 0, end: one.text.length }])
    if (found.length === 0) continue
    report(one.kind, withFindings.length, one.text, found)
    withFindings.push(one)
  }

  const score = Math.round(100 * chanceOf(chances))
  return {
    level: score >= HIGH_SCORE ? 'high' : score >= MEDIUM_SCORE ? 'medium' : score > 0 ? 'low' : 'none',
    score,
    categories: RISK_CATEGORIES.filter((category) => findings.some((finding) => finding.category === category)),
    findings: findings.slice(0, MAX_FINDINGS),
    hidden: withFindings,
    unexamined: text.length - examined.length,
  }
}

/** Chance that one of the rules is right; each counts once, by its greatest weight. */
function chanceOf(found: readonly Found[]): number {
  const weights = new Map<string, number>()
  for (const { rule, weight } of found) weights.set(rule.name, Math.max(weight, weights.get(rule.name) ?? 0))
  let none = 1
  for (const weight of weights.values()) none *= 1 - weight
  return 1 - none
}

/** All findings in one text; `unseen` are its parts that people do not read. */
function foundIn(text: string, unseen: readonly Span[]): readonly Found[] {
  const folded = foldedText(text, 'prose')
  const quotations = quotationsIn(text)
  // Signs without width stand within words or for spaces.
  const readings = hasUnseen(text) ? [folded, foldedText(text, 'prose', ' ')] : [folded]
  const kindOf: KindOf = (span) =>
    (quotations.isCode(span) ? 2 : quotations.isQuoted(span) ? 1 : 0) + (enclosing(unseen, span) ? 3 : 0)
  const orders = distinct(readings.flatMap((reading) => ordersIn(reading, kindOf)))
  const found = [
    ...orders,
    ...MARKUP_RULES.flatMap((rule) => matchesOf(rule, text, kindOf)),
    ...INVISIBLE_RULES.flatMap((rule) => matchesOf(rule, text, kindOf)),
    ...carriedTextsIn(text, kindOf),
    ...HIDDEN_RULES.flatMap((rule) => matchesOf(rule, text, kindOf)).filter((span) => enclosing(unseen, span)),
    ...disguisesIn(text, folded, orders, kindOf),
  ]
  const hiding = unseen.flatMap((span) => {
    const inside = found.filter((one) => one.rule.category !== 'hidden_text' && one.start >= span.start && one.end <= span.end)
    return chanceOf(inside) >= MIN_INSTRUCTION_CHANCE
      ? [{ ...span, rule: OUT_OF_SIGHT, weight: HIDDEN_WEIGHT, isQuoted: false }]
      : []
  })
  return [...found, ...firstOfKinds(hiding, kindOf)].map((one) => weighed(one, quotations)).sort((a, b) => a.start - b.start)
}

/** Each finding once: two readings of a text have most in common. */
const distinct = (found: readonly Found[]): readonly Found[] => [
  ...new Map(found.map((one) => [`${one.rule.name} ${one.start} ${one.end}`, one])).values(),
]

/** Instructions in any language. English ones are also found in letters that look like Latin ones. */
function ordersIn({ text, startOf, endOf }: FoldedText, kindOf: KindOf): readonly Found[] {
  const latin = latinLookAlike(text)
  const original = ({ start, end }: Span): Span => ({ start: startOf(start), end: endOf(end) })
  return [
    ...ENGLISH_RULES.flatMap((rule) => matchesOf(rule, latin, kindOf, original)),
    ...LANGUAGE_RULES.flatMap((rule) => matchesOf(rule, text, kindOf, original)),
  ]
}

const rule = (name: string, category: RiskCategory, weight: number, pattern = /$^/g): RiskRule => ({
  name,
  category,
  weight,
  pattern,
})
const OUT_OF_SIGHT = rule('order-out-of-sight', 'hidden_text', HIDDEN_WEIGHT)
const INVISIBLE_WITHIN = rule('invisible-within-order', 'hidden_text', HIDDEN_WEIGHT)
const FOREIGN_LETTERS = rule('foreign-letters', 'homoglyphs', DISGUISE_WEIGHT)
const ENCODED = rule('encoded-order', 'encoded_payload', DISGUISE_WEIGHT)
const CARRIED_TEXT = rule('url-with-encoded-text', 'exfiltration_url', 0.6)

/** Addresses of links and images with a text in them. */
function carriedTextsIn(text: string, kindOf: KindOf): readonly Found[] {
  const spans = [...text.matchAll(LONG_VALUE)]
    .filter(([, value = '']) => holdsWords(value))
    .map(({ 0: link, index }) => ({ start: index, end: index + link.length }))
  return firstOfKinds(spans, kindOf).map((span) => foundBy(CARRIED_TEXT, span))
}

/** Orders that are written so that people or programs do not recognise them. */
function disguisesIn(text: string, folded: FoldedText, orders: readonly Found[], kindOf: KindOf): readonly Found[] {
  const found: Found[] = []
  const add = (form: RiskRule, span: Span) => found.push(foundBy(form, span))
  for (const order of orders) {
    const written = text.slice(order.start, order.end)
    if (ENGLISH_NAMES.has(order.rule.name) && hasForeignForms(written)) add(FOREIGN_LETTERS, order)
    if (/[A-Za-z](?:\u034f|[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff])+[A-Za-z]/.test(written)) add(INVISIBLE_WITHIN, order)
  }
  for (const { decoded, ...span } of encodedTexts(text)) {
    if (isOrder(decoded) && !orders.some((order) => order.start >= span.start && order.end <= span.end)) add(ENCODED, span)
  }
  const { text: plain, startOf, endOf } = folded
  const original = ({ start, end }: Span): Span => ({ start: startOf(start), end: endOf(end) })
  const rotated = rot13(plain)
  for (const span of CLEAR_RULES.flatMap((one) => matchesOf(one, rotated, kindOf, original))) add(ENCODED, span)
  const reversed = [...plain].length === plain.length ? [...plain].reverse().join('') : ''
  const unreversed = ({ start, end }: Span): Span => original({ start: plain.length - end, end: plain.length - start })
  for (const span of CLEAR_RULES.flatMap((one) => matchesOf(one, reversed, kindOf, unreversed))) add(ENCODED, span)
  return found
}

const ENGLISH_NAMES: ReadonlySet<string> = new Set(ENGLISH_RULES.map(({ name }) => name))
/** Rules of one clear order, which are also tried on what is written in another form. */
const CLEAR_RULES = ENGLISH_RULES.filter(({ weight }) => weight >= 0.6)

function isOrder(text: string): boolean {
  return (
    chanceOf([
      ...ordersIn(foldedText(text, 'prose'), ONE_KIND),
      ...MARKUP_RULES.flatMap((one) => matchesOf(one, text, ONE_KIND)),
    ]) >= MIN_INSTRUCTION_CHANCE
  )
}

const SAME = (span: Span): Span => span

/** The first matches of each kind; `originalOf`: place in the original of a place in `text`. */
function matchesOf(one: RiskRule, text: string, kindOf: KindOf, originalOf: (span: Span) => Span = SAME): readonly Found[] {
  return firstOfKinds(spansOf(one.pattern, text).map(originalOf), kindOf).map((span) => foundBy(one, span))
}

const foundBy = (one: RiskRule, { start, end }: Span): Found => ({ rule: one, start, end, weight: one.weight, isQuoted: false })

function firstOfKinds<Item extends Span>(spans: readonly Item[], kindOf: KindOf): readonly Item[] {
  const counts = new Map<number, number>()
  return spans.filter((span) => {
    const kind = kindOf(span)
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    return count <= MAX_MATCHES
  })
}

const MARKUP_CATEGORIES: ReadonlySet<RiskCategory> = new Set(['role_markup', 'tool_syntax', 'exfiltration_url'])

/** A finding, with less weight where its text mentions rather than uses it. */
function weighed(found: Found, { isCode, isQuoted, isAboutAttacks, isAboutInterfaces }: Quotations): Found {
  const isMarkup = MARKUP_CATEGORIES.has(found.rule.category)
  const isMention = isCode(found) ? isAboutAttacks || (isMarkup && isAboutInterfaces) : isQuoted(found) && isAboutAttacks
  if (isMention) return { ...found, weight: found.weight * QUOTED_SHARE, isQuoted: true }
  if (isMarkup && (isAboutInterfaces || isAboutAttacks)) return { ...found, weight: found.weight * MENTIONED_SHARE }
  return found
}
