import { CHEAP, type Pace } from './pace.ts'
import { hashed, randomSeed } from './seeded-hash.ts'
import { MAX_WORD_LENGTH, needsUnicode, tokenize } from './words.ts'

/** The words of an index and of its later versions, by number. Words are only added. */
export type Vocabulary = {
  readonly words: readonly string[]
  /** Number of a folded word; undefined: no version has it. */
  readonly numberOf: (word: string) => number | undefined
  /** Letters of each word as a bit set: two words within n changes differ in at most 2n bits. */
  readonly letters: () => Uint32Array
  /** Number of a folded word, which is added when it is new. */
  readonly add: (word: string) => number
  /** Number of two words read as one, which is added when it is new. */
  readonly addJoined: (one: number, other: number) => number
  /** Puts the numbers of the words of a text in the place of what `found` holds; new words are added. */
  readonly read: (text: string, found: NumberedWords) => void
  /** Makes room for more words, in slices; without it room is made at once, when it is needed. */
  readonly reserve: (pace: Pace) => Promise<void>
  /** What `restoredVocabulary` makes the first `count` words known with again; in slices. */
  readonly hashes: (count: number, pace: Pace) => Promise<WordHashes>
}

/** Hashes of words by their numbers, and the seed that they began with. */
export type WordHashes = { readonly seed: number; readonly hashes: Int32Array }

/** Numbers of the words of a text in their order, and of the words inside identifiers; filled anew by each reading. */
export type NumberedWords = { readonly wholes: number[]; readonly parts: number[] }

/** Slots at first: a power of two. */
const FIRST_SLOTS = 4_096
/** Share of the slots that words take at most; above the other share `reserve` makes room. */
const [MAX_LOAD, RESERVE_LOAD] = [0.7, 0.6]
/** Slots that move to a larger table between two offers to pause. */
const PAUSE_SLOTS = 10_000
/** Texts of more characters are parts of others in V8, and would hold those. */
export const MAX_COPIED_LENGTH = 12

const [LOWER, UPPER, DIGIT] = [1, 2, 3]
/** By code of ASCII: kind of letter; 0 for a sign. */
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code)
  return /[a-z]/.test(sign) ? LOWER : /[A-Z]/.test(sign) ? UPPER : /[0-9]/.test(sign) ? DIGIT : 0
})
const classAt = (text: string, at: number): number => CLASSES[text.charCodeAt(at)] ?? 0
/** Lower case of one unit of a folded or ASCII text. */
const lower = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code)

/** The set of letters of a word in 32 bits; letters beyond a to z and digits share bits. */
export function lettersOf(word: string): number {
  let set = 0
  for (let index = 0; index < word.length; index += 1) set |= 1 << (word.charCodeAt(index) % 32)
  return set >>> 0
}

function isSame(word: string, text: string, from: number, to: number): boolean {
  if (word.length !== to - from) return false
  for (let at = from; at < to; at += 1) if (word.charCodeAt(at - from) !== lower(text.charCodeAt(at))) return false
  return true
}

/** The folded word of a stretch of a text, as a text of its own. */
function wordIn(text: string, from: number, to: number): string {
  if (to - from <= MAX_COPIED_LENGTH) return text.slice(from, to).toLowerCase()
  return String.fromCharCode(...Array.from({ length: to - from }, (_, at) => lower(text.charCodeAt(from + at))))
}

/** Words by stretches of texts: open addressing over hashes of code units, without a text per word that is looked up. */
function createTable(seed = randomSeed(), slotCount = FIRST_SLOTS) {
  const words: string[] = []
  /** Of each slot the number of a word and 1, or 0 when it is free, and the hash of the word. */
  let slots = new Int32Array(slotCount * 2)
  let letters = new Uint32Array(Math.ceil(slotCount * RESERVE_LOAD))

  const place = (table: Int32Array, number: number, hash: number): void => {
    const mask = table.length / 2 - 1
    let slot = hash & mask
    while (table[slot * 2] !== 0) slot = (slot + 1) & mask
    table[slot * 2] = number + 1
    table[slot * 2 + 1] = hash
  }
  const moveSlots = (table: Int32Array, from: number, to: number): void => {
    for (let at = from; at < to; at += 2) {
      const taken = slots[at] as number
      if (taken !== 0) place(table, taken - 1, slots[at + 1] as number)
    }
  }
  const appendWord = (word: string, hash: number): number => {
    if (words.length >= (slots.length / 2) * MAX_LOAD) {
      const larger = new Int32Array(slots.length * 2)
      moveSlots(larger, 0, slots.length)
      slots = larger
    }
    const number = words.length
    if (number === letters.length) {
      const larger = new Uint32Array(number + Math.max(FIRST_SLOTS, number >>> 2))
      larger.set(letters)
      letters = larger
    }
    words.push(word)
    letters[number] = lettersOf(word)
    place(slots, number, hash)
    return number
  }
  /** -1 when it is not known. */
  const find = (text: string, from: number, to: number, hash: number): number => {
    const mask = slots.length / 2 - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = (slots[slot * 2] as number) - 1
      if (number < 0) return -1
      if (slots[slot * 2 + 1] === hash && isSame(words[number] as string, text, from, to)) return number
    }
  }
  const hashOf = (text: string, from: number, to: number): number => {
    let hash = seed
    for (let at = from; at < to; at += 1) hash = hashed(hash, lower(text.charCodeAt(at)))
    return hash
  }
  const numberIn = (text: string, from: number, to: number): number => numberOfHashed(text, from, to, hashOf(text, from, to))
  const numberOfHashed = (text: string, from: number, to: number, hash: number): number => {
    const known = find(text, from, to, hash)
    return known < 0 ? appendWord(wordIn(text, from, to), hash) : known
  }
  return {
    seed,
    words,
    numberIn,
    numberOfHashed,
    append: appendWord,
    hashes: async (count: number, pace: Pace): Promise<WordHashes> => {
      const hashes = new Int32Array(count)
      // A table that is replaced meanwhile has all of these words, too.
      const table = slots
      for (let at = 0; at < table.length; at += 2) {
        const number = (table[at] as number) - 1
        if (number >= 0 && number < count) hashes[number] = table[at + 1] as number
        if (at % PAUSE_SLOTS === 0) await pace(PAUSE_SLOTS * (CHEAP / 50))
      }
      return { seed, hashes }
    },
    letters: () => letters.subarray(0, words.length),
    numberOf: (word: string) => {
      const number = find(word, 0, word.length, hashOf(word, 0, word.length))
      return number < 0 ? undefined : number
    },
    reserve: async (pace: Pace) => {
      if (words.length < (slots.length / 2) * RESERVE_LOAD) return
      const larger = new Int32Array(slots.length * 2)
      for (let at = 0; at < slots.length; at += PAUSE_SLOTS) {
        moveSlots(larger, at, Math.min(slots.length, at + PAUSE_SLOTS))
        await pace(PAUSE_SLOTS * (CHEAP / 50))
      }
      slots = larger
    },
  }
}

/** An empty vocabulary. */
export const createVocabulary = (): Vocabulary => vocabularyOf(createTable())

/** The vocabulary of these folded words, all different, which keep their order, with their hashes of before. */
export async function restoredVocabulary(
  words: readonly string[],
  { seed, hashes }: WordHashes,
  pace: Pace,
): Promise<Vocabulary> {
  let slotCount = FIRST_SLOTS
  while (words.length > slotCount * RESERVE_LOAD) slotCount *= 2
  const table = createTable(seed, slotCount)
  for (const [number, word] of words.entries()) {
    table.append(word, hashes[number] as number)
    const pause = pace(CHEAP / 5)
    if (pause) await pause
  }
  return vocabularyOf(table)
}

function vocabularyOf({ seed, numberIn, numberOfHashed, append: _, ...table }: ReturnType<typeof createTable>): Vocabulary {
  /** As `tokenize` reads what needs no forms of Unicode. */
  const readAscii = (text: string, { wholes, parts }: NumberedWords): void => {
    for (let at = 0; at < text.length; ) {
      const first = classAt(text, at)
      if (first === 0) {
        at += 1
        continue
      }
      const from = at
      let isPlain = first !== DIGIT
      // The hash of `hashOf`, in the same pass.
      let hash = hashed(seed, lower(text.charCodeAt(at)))
      at += 1
      for (let kind = 0; at < text.length; at += 1) {
        const code = text.charCodeAt(at)
        kind = CLASSES[code] ?? 0
        if (kind === 0) break
        if (kind !== LOWER) isPlain = false
        if (at < from + MAX_WORD_LENGTH) hash = hashed(hash, lower(code))
      }
      wholes.push(numberOfHashed(text, from, Math.min(at, from + MAX_WORD_LENGTH), hash))
      if (!isPlain) visitInner(text, from, at, (start, end) => parts.push(numberIn(text, start, end)))
    }
  }
  const add = (word: string): number => numberIn(word, 0, word.length)
  return {
    ...table,
    add,
    addJoined: (one, other) => add(`${table.words[one]}${table.words[other]}`),
    read: (text, found) => {
      found.wholes.length = 0
      found.parts.length = 0
      if (!needsUnicode(text)) return readAscii(text, found)
      for (const { whole, parts } of tokenize(text)) {
        found.wholes.push(add(whole))
        for (const part of parts) found.parts.push(add(part))
      }
    },
  }
}

/**
 * The words of several letters inside an identifier of ASCII letters and digits, when it has more
 * than one: where a person would read a new word. The same as `INNER` finds.
 */
function visitInner(text: string, from: number, to: number, visit: (start: number, end: number) => void): void {
  let count = 0
  for (let at = from; at < to; count += 1) {
    const end = innerEnd(text, at, to)
    // A word that is all of it is no part.
    if (end - at > 1 && (count > 0 || end < to)) visit(at, end)
    at = end
  }
}

function innerEnd(text: string, from: number, to: number): number {
  const kind = classAt(text, from)
  const endOf = (wanted: number, start: number): number => {
    let at = start
    while (at < to && classAt(text, at) === wanted) at += 1
    return at
  }
  const end = endOf(kind, from)
  if (kind !== UPPER || end === to || classAt(text, end) !== LOWER) return end
  // The last capital begins the word behind it.
  return end - from > 1 ? end - 1 : endOf(LOWER, end)
}
