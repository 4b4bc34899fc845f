import { ownValue } from '../../platform/collections/lookup-table.ts'

/** Maximum size of a store tool's result as JSON: some 2,000 tokens of the model's context. */
export const MAX_ANSWER_BYTES = 8_000

/** Keys of the short form of an object, and of the objects in it. */
export type Summary = { readonly [key: string]: true | Summary }

/**
 * Maximum text lengths in characters, tried in turn until the result fits: for an object, and for a
 * list.
 */
const OBJECT_TEXT_STEPS = [2_000, 600, 300, 150, 80] as const
const LIST_TEXT_STEPS = [150, 60, 30, 15] as const
const ELLIPSIS = '…'

type Content = Readonly<Record<string, unknown>>

/**
 * Shortens a REST response to `MAX_ANSWER_BYTES` for a model. Steps: drop empty values and
 * duplicate status names; for lists the longest of `summaries` that fits; truncate texts with "…";
 * drop last list entries, noted in `cut`.
 */
export function fitAnswer(answer: unknown, summaries: readonly Summary[] = []): unknown {
  const whole = conciseAnswer(answer)
  const [first, ...shorter] = summaries.map((summary) => summarized(whole, summary))
  let fitted = first ?? whole
  for (const next of shorter) {
    if (fits(fitted)) return fitted
    fitted = next
  }
  for (const length of summaries.length > 0 ? LIST_TEXT_STEPS : OBJECT_TEXT_STEPS) {
    if (fits(fitted)) return fitted
    fitted = withShortTexts(fitted, length)
  }
  return fits(fitted) ? fitted : cut(fitted)
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
const fits = (value: unknown): boolean => bytesOf(value) <= MAX_ANSWER_BYTES

const isObject = (value: unknown): value is Content => typeof value === 'object' && value !== null && !Array.isArray(value)
const isEmpty = (value: unknown): boolean => value === null || value === '' || (Array.isArray(value) && value.length === 0)

/**
 * Status keys of orders: `spelled` has the words of arguments and replaces `as`; `also` duplicates
 * it.
 */
const SPELLINGS = [
  { spelled: 'status_enum', as: 'status', also: 'status_name' },
  { spelled: 'shipment_status_enum', as: 'shipment_status', also: null },
] as const

/** Keeps empty lists at the root, because "no results" is information. */
function conciseAnswer(answer: unknown): unknown {
  const whole = concise(answer)
  if (!isObject(answer) || !isObject(whole)) return whole
  const lists = Object.keys(answer).filter((key) => Array.isArray(ownValue(answer, key)) && !Object.hasOwn(whole, key))
  return { ...Object.fromEntries(lists.map((key) => [key, []])), ...whole }
}

/** Drops nulls, empty texts and empty lists, and keeps one key per status. */
function concise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => concise(each))
  if (!isObject(value)) return value
  const fields = new Map(Object.entries(value))
  for (const { spelled, as, also } of SPELLINGS) {
    if (!fields.has(spelled)) continue
    fields.set(as, fields.get(spelled))
    fields.delete(spelled)
    if (also !== null) fields.delete(also)
  }
  return Object.fromEntries([...fields].flatMap(([key, each]) => (isEmpty(each) ? [] : [[key, concise(each)]])))
}

/** Reduces list entries to the keys of `summary`; envelopes like `{"order": …}` are kept. */
function summarized(value: unknown, summary: Summary): unknown {
  if (Array.isArray(value)) return value.map((entry) => summarized(entry, summary))
  if (!isObject(value)) return value
  const entries = Object.entries(value)
  const isWrapper = entries.some(([, each]) => isObject(each) || Array.isArray(each))
  // An envelope, or an object of a list and its count.
  if (isWrapper && entries.length <= 2 && !Object.hasOwn(value, 'id')) {
    return Object.fromEntries(
      entries.map(([key, each]) => [
        key,
        Array.isArray(each) ? summarized(each, summary) : isObject(each) ? picked(each, summary) : each,
      ]),
    )
  }
  return picked(value, summary)
}

const picked = (value: Content, summary: Summary): Content =>
  Object.fromEntries(
    Object.entries(summary).flatMap(([key, below]) => {
      if (!Object.hasOwn(value, key)) return []
      const each = value[key]
      const pick = (inner: unknown) => (below !== true && isObject(inner) ? picked(inner, below) : inner)
      return [[key, Array.isArray(each) ? each.map(pick) : pick(each)]]
    }),
  )

function withShortTexts(value: unknown, length: number): unknown {
  if (Array.isArray(value)) return value.map((each) => withShortTexts(each, length))
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withShortTexts(each, length)]))
  // URLs are never truncated, because they would break.
  if (typeof value !== 'string' || value.length <= length || /^https?:\/\//.test(value)) return value
  return `${value
    .slice(0, length - ELLIPSIS.length)
    .toWellFormed()
    .trimEnd()}${ELLIPSIS}`
}

/** Path and entries of a list. */
type LargestList = { readonly path: readonly string[]; readonly entries: readonly unknown[] }

/** Drops last entries of the largest list until the value fits, and notes the original count. */
function cut(value: unknown): unknown {
  const cuts = new Map<string, Cut>()
  let fitted = value
  for (;;) {
    const noted = cuts.size === 0 ? fitted : withNote(fitted, [...cuts].map(noteOf).join(' '))
    if (fits(noted)) return noted
    const largest = largestList(fitted, [])
    // No list is left to shorten: one object whose texts were truncated already.
    if (largest === null) return noted
    const { path, entries } = largest
    // Drops 10 % at a time: each step serializes the value, so single entries would be quadratic.
    const remaining = entries.slice(0, Math.min(entries.length - 1, Math.floor(entries.length * 0.9)))
    fitted = replaced(fitted, path, remaining)
    const name = path.filter((step) => !/^\d+$/.test(step)).join('.')
    const total = cuts.get(name)?.total ?? entries.length
    cuts.set(name, { shown: remaining.length, total, isPage: path.length <= 1 })
  }
}

/** A shortened list; `isPage`: the page whose length is the argument `limit`. */
type Cut = { readonly shown: number; readonly total: number; readonly isPage: boolean }

const noteOf = ([name, { shown, total, isPage }]: readonly [string, Cut]): string =>
  isPage
    ? `The first ${shown} of ${total} results are shown: use a smaller limit.`
    : `The first ${shown} of ${total} entries of ${name} are shown; REST has the others.`

function largestList(value: unknown, path: readonly string[]): LargestList | null {
  if (typeof value !== 'object' || value === null) return null
  const own = Array.isArray(value) && value.length > 0 ? [{ path, entries: value }] : []
  const below = Object.entries(value).flatMap(([key, each]) => largestList(each, [...path, key]) ?? [])
  // Of nested lists the outer one is larger, so it is shortened first.
  const [largest] = [...own, ...below].sort((one, other) => bytesOf(other.entries) - bytesOf(one.entries))
  return largest ?? null
}

function replaced(value: unknown, [step, ...rest]: readonly string[], list: readonly unknown[]): unknown {
  if (step === undefined) return list
  if (Array.isArray(value)) return value.map((each, index) => (String(index) === step ? replaced(each, rest, list) : each))
  return isObject(value) ? { ...value, [step]: replaced(ownValue(value, step), rest, list) } : value
}

const withNote = (value: unknown, note: string): unknown =>
  Array.isArray(value) ? [...value, { cut: note }] : isObject(value) ? { ...value, cut: note } : value
