import type { Catalogue } from '../item/catalogue.ts'
import type { Item } from '../item/item.ts'
import { scoreOf } from '../item/quality.ts'
import { countOf, fieldsOf, IN_NAME, IN_NAME_PART, IN_TAGS, isKnown, recordOf, type WordIndex } from '../word-index/word-index.ts'
import { phraseOf, STOP_WORDS, tokenize } from '../word-index/words.ts'
import { expansionOf, sameStem } from './expansion.ts'

/** Where an item has a word. */
export type WordField = 'NAME' | 'TAGS' | 'DESCRIPTION'

/** A word of the task that an item has; `word`: as the task spells it, without case. */
export type CoveredWord = { readonly word: string; readonly field: WordField }

/** An item of a set, the words that only it has, and others that could stand in for it. */
export type TaskPick = {
  readonly item: Item
  readonly covers: readonly CoveredWord[]
  readonly alternatives: readonly Item[]
}

/** Items that together serve a task, and what no item of the directory has. */
export type TaskItems = { readonly picks: readonly TaskPick[]; readonly uncovered: readonly string[] }

/** Most words of a task that count: the rarest ones. */
const MAX_WORDS = 24
/** Words that are looked up for that, by a first count: what a word may mean takes milliseconds to find. */
const MAX_LOOKED_UP = 48
/** A word that more of all records hold tells nothing. */
const COMMON_SHARE = 0.1
/** How much of a word's rarity an item gets by where it has the word. */
const SHARES = { NAME: 1, NAME_PART: 0.7, TAGS: 0.5, DESCRIPTION: 0.25 }
/** An item must add this share of the weight of the whole task, and this much of one word. */
const MIN_TASK_SHARE = 0.1
const MIN_WORD_SHARE = 0.5
/** Items with the most words of the task, and with most of each word, that are compared. */
const MAX_CANDIDATES = 300
const MAX_CANDIDATES_OF_WORD = 40
/** How much quality counts among items that add the same, at most. */
const QUALITY_SHARE = 0.3
/** Quality that counts as the best: an official server with a thousand stars. */
const BEST_QUALITY = 33
/** What remains of an item that is deprecated. */
const DEPRECATED_SHARE = 0.15
/** An alternative adds this share of what the pick adds. */
const ALTERNATIVE_SHARE = 0.8
const MAX_ALTERNATIVES = 3

/** Words that say how or when something is done, not with what. */
const TASK_WORDS = new Set(
  'about add after all also always another automatically before between both build call change check compare connect contact contacts control create current daily day delete do does done draw during each edit every everything fail failed failing fails fetch file files find first free friday get go have if insert keep last latest list load look looks make manage me monday month monthly more morning move my myself new next no not now old once one open our over own place places plan please post put read reads remember report reports result results run runs saturday save see select send set show slot some somebody someone something store sum summary summarise summarize sunday sync take tell than them then they thing things thursday time track tuesday turn two update upload urgent us via want wednesday week weekly were while who will without write year'.split(
    ' ',
  ),
)

type Word = { readonly text: string; readonly rarity: number; readonly records: ReadonlyMap<number, Holding> }
type Holding = { readonly value: number; readonly field: WordField }

/**
 * A small set of items that together have the words of a task: the item that adds most first, until
 * none adds enough. Rare words count more, words in a name more than in a description.
 */
export function taskItems(
  task: string,
  { words: index, items }: Catalogue,
  { accepts, max }: { readonly accepts: (item: Item) => boolean; readonly max: number },
): TaskItems {
  const words = wordsOf(task, index)
  const total = words.reduce((sum, { rarity }) => sum + rarity, 0)
  const qualities = new Map<number, number>()
  /** 0 for an item that is not wanted. */
  const qualityIn = (record: number): number => {
    const known = qualities.get(record)
    if (known !== undefined) return known
    const item = items[record] as Item
    const quality = accepts(item) ? qualityOf(item) : 0
    qualities.set(record, quality)
    return quality
  }
  const candidates = candidatesOf(words, qualityIn)
  const covered = new Map<Word, number>()
  const picks: TaskPick[] = []

  while (picks.length < max) {
    const gains = candidates
      .map((record) => ({ record, gain: gainOf(record, words, covered) * qualityIn(record) }))
      .sort((one, other) => other.gain - one.gain || one.record - other.record)
    const [best] = gains
    if (!best || !isEnough(best.record, words, covered, total)) break
    const item = items[best.record] as Item
    const picked = new Set(picks.map((pick) => pick.item))
    const alternatives = gains
      .filter(
        ({ record, gain }) =>
          record !== best.record && gain >= best.gain * ALTERNATIVE_SHARE && !picked.has(items[record] as Item),
      )
      .slice(0, MAX_ALTERNATIVES)
      .map(({ record }) => items[record] as Item)
    picks.push({ item, covers: newWords(best.record, words, covered), alternatives })
    for (const word of words) covered.set(word, Math.max(covered.get(word) ?? 0, word.records.get(best.record)?.value ?? 0))
  }
  const uncovered = words.filter((word) => (covered.get(word) ?? 0) === 0).map(({ text }) => text)
  return { picks, uncovered: [...new Set(uncovered)] }
}

/** The distinctive words of a task in its order, with the records that hold them. */
function wordsOf(task: string, index: WordIndex): readonly Word[] {
  const texts = tokenize(task)
    .flatMap(({ whole, parts }) => (parts.length > 0 && !isKnown(whole, index) ? parts : [whole]))
    .flatMap(phraseOf)
  const distinctive = [...new Set(texts)].filter((text) => !STOP_WORDS.has(text) && !TASK_WORDS.has(text))
  const counts = new Map(distinctive.map((text) => [text, firstCount(text, index)]))
  const rare = distinctive.toSorted((one, other) => (counts.get(one) ?? 0) - (counts.get(other) ?? 0)).slice(0, MAX_LOOKED_UP)
  const lookedUp = new Set(rare)
  const words = distinctive
    .filter((text) => lookedUp.has(text))
    .map((text): Word => {
      const meant = expansionOf(text, false, index)
      let count = 0
      for (const number of meant.keys()) count = Math.max(count, countOf(number, index))
      const isCommon = count > index.count * COMMON_SHARE && index.count > 100
      const rarity = isCommon ? 0 : Math.log(1 + index.count / (1 + count))
      return { text, rarity, records: isCommon ? new Map() : holdingsOf(meant, rarity, index) }
    })
  const rarest = new Set(words.toSorted((one, other) => other.rarity - one.rarity).slice(0, MAX_WORDS))
  return words.filter((word) => rarest.has(word) && word.rarity > 0)
}

/** Records with the word or a form of it; 0 for a word that is not known as it is. */
const firstCount = (text: string, index: WordIndex): number =>
  [index.vocabulary.numberOf(text), ...sameStem(text, index)].reduce<number>(
    (max, number) => (number === undefined ? max : Math.max(max, countOf(number, index))),
    0,
  )

function holdingsOf(
  meant: ReadonlyMap<number, number>,
  rarity: number,
  { postings, starts }: WordIndex,
): ReadonlyMap<number, Holding> {
  const records = new Map<number, Holding>()
  for (const [number, weight] of meant) {
    for (let at = starts[number] as number; at < (starts[number + 1] as number); at += 1) {
      const posting = postings[at] as number
      const record = recordOf(posting)
      const { share, field } = fieldOf(fieldsOf(posting))
      const value = rarity * weight * share
      if (value > (records.get(record)?.value ?? 0)) records.set(record, { value, field })
    }
  }
  return records
}

function fieldOf(fields: number): { readonly share: number; readonly field: WordField } {
  if (fields & IN_NAME) return { share: SHARES.NAME, field: 'NAME' }
  if (fields & IN_NAME_PART) return { share: SHARES.NAME_PART, field: 'NAME' }
  if (fields & IN_TAGS) return { share: SHARES.TAGS, field: 'TAGS' }
  return { share: SHARES.DESCRIPTION, field: 'DESCRIPTION' }
}

/** Wanted records that may be picked: those with most of the task, and those with most of each word. */
function candidatesOf(words: readonly Word[], qualityIn: (record: number) => number): readonly number[] {
  const sums = new Map<number, number>()
  const best = new Set<number>()
  const top = (entries: readonly (readonly [number, number])[], count: number) => {
    for (const [record] of entries.toSorted(([, one], [, other]) => other - one).slice(0, count)) best.add(record)
  }
  for (const { records } of words) {
    const wanted = [...records].flatMap(([record, { value }]) => {
      const quality = qualityIn(record)
      return quality === 0 ? [] : [[record, value * quality] as const]
    })
    for (const [record, value] of wanted) sums.set(record, (sums.get(record) ?? 0) + value)
    top(wanted, MAX_CANDIDATES_OF_WORD)
  }
  top([...sums], MAX_CANDIDATES)
  return [...best]
}

/** What a record adds to what is covered. */
function gainOf(record: number, words: readonly Word[], covered: ReadonlyMap<Word, number>): number {
  let gain = 0
  for (const word of words) gain += Math.max(0, (word.records.get(record)?.value ?? 0) - (covered.get(word) ?? 0))
  return gain
}

function qualityOf(item: Item): number {
  if (item.kind === 'MCP_SERVER' && item.deprecated) return DEPRECATED_SHARE
  const { popularity, official, metadata } = scoreOf({ item, score: 0 })
  return 1 + QUALITY_SHARE * Math.min(1, (popularity + official + metadata) / BEST_QUALITY)
}

/** Whether a record adds enough of the task, and one word well. */
function isEnough(record: number, words: readonly Word[], covered: ReadonlyMap<Word, number>, total: number): boolean {
  if (gainOf(record, words, covered) < total * MIN_TASK_SHARE) return false
  return words.some((word) => (word.records.get(record)?.value ?? 0) - (covered.get(word) ?? 0) >= word.rarity * MIN_WORD_SHARE)
}

const newWords = (record: number, words: readonly Word[], covered: ReadonlyMap<Word, number>): readonly CoveredWord[] =>
  words.flatMap((word) => {
    const held = word.records.get(record)
    return held && held.value > (covered.get(word) ?? 0) ? [{ word: word.text, field: held.field }] : []
  })
