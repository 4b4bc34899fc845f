/** Maximum size of a directory tool's result as JSON: some 2,000 tokens of the model's context. */
export const MAX_ANSWER_BYTES = 8_000

export type AnswerContent = Readonly<Record<string, unknown>>

/** Maximum lengths of descriptions in characters, tried in turn until the result fits. */
const DESCRIPTION_STEPS = [600, 300, 150, 80] as const

/** Key of texts that may be truncated. */
const DESCRIPTION = 'description'

export const bytesOf = (content: unknown): number => Buffer.byteLength(JSON.stringify(content))

/**
 * Shortens a result to `MAX_ANSWER_BYTES`: truncates descriptions with "…", then drops optional
 * variables and alternative commands, then last list entries. Returns a result that fits unchanged.
 */
export function compact(content: AnswerContent): AnswerContent {
  let fitted = withShortDescriptions(content, MAX_ANSWER_BYTES)
  if (bytesOf(fitted) > MAX_ANSWER_BYTES) fitted = mapped(fitted, withoutExtras)
  while (bytesOf(fitted) > MAX_ANSWER_BYTES) {
    const shorter = withoutLast(fitted)
    if (shorter === null) return fitted
    fitted = shorter
  }
  return fitted
}

/** The same with descriptions so short that it has `maxBytes`, or as short as they may get. */
export function withShortDescriptions(content: AnswerContent, maxBytes: number): AnswerContent {
  let fitted = content
  for (const length of DESCRIPTION_STEPS) {
    if (bytesOf(fitted) <= maxBytes) return fitted
    fitted = mapped(fitted, (key, value) => (key === DESCRIPTION ? shortened(value, length) : value))
  }
  return fitted
}

type Change = (key: string, value: unknown) => unknown

/** Copy with `change` applied to every value below a key, inner values first. */
function mapped(content: AnswerContent, change: Change): AnswerContent {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit)
    // Neither primitive, null nor array: a JSON object.
    return typeof value === 'object' && value !== null ? mapped(value as AnswerContent, change) : value
  }
  return Object.fromEntries(Object.entries(content).map(([key, value]) => [key, change(key, visit(value))]))
}

function shortened(value: unknown, length: number): unknown {
  if (typeof value !== 'string' || value.length <= length) return value
  return `${value
    .slice(0, length - 1)
    .toWellFormed()
    .trimEnd()}…`
}

/** Keeps required variables only, and the first command only. */
function withoutExtras(key: string, value: unknown): unknown {
  if (!Array.isArray(value)) return value
  if (key === 'envVars') return value.filter((variable: { readonly required?: unknown }) => variable.required === true)
  return key === 'installations' ? value.slice(0, 1) : value
}

/** Drops the last entry of the largest list; null when no list has entries. */
function withoutLast(content: AnswerContent): AnswerContent | null {
  const lists = Object.entries(content).filter(
    (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > 0,
  )
  const [largest] = lists.sort(([, one], [, other]) => JSON.stringify(other).length - JSON.stringify(one).length)
  return largest ? { ...content, [largest[0]]: largest[1].slice(0, -1) } : null
}
