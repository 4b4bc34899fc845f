/**
 * Longest answer of a directory tool, in bytes of its JSON: some 2,000 tokens, so that a search
 * leaves the model room to work.
 */
export const MAX_ANSWER_BYTES = 8_000

type Content = Readonly<Record<string, unknown>>

/** Longest description after each step, in characters. */
const DESCRIPTION_STEPS = [600, 300, 150, 80] as const

/** Keys with texts for people, which may be shortened. */
const DESCRIPTION = 'description'

const bytesOf = (content: Content): number => Buffer.byteLength(JSON.stringify(content))

/**
 * Makes an answer fit into `MAX_ANSWER_BYTES`: descriptions get shorter and end with "…", then
 * optional variables and alternative commands are left out, then the last results or elements.
 * What fits stays as it is.
 */
export function compact(content: Content, maxBytes = MAX_ANSWER_BYTES): Content {
  let fitted = content
  for (const length of DESCRIPTION_STEPS) {
    if (bytesOf(fitted) <= maxBytes) return fitted
    fitted = mapped(fitted, (key, value) => (key === DESCRIPTION ? shortened(value, length) : value))
  }
  if (bytesOf(fitted) > maxBytes) fitted = mapped(fitted, withoutExtras)
  while (bytesOf(fitted) > maxBytes) {
    const shorter = withoutLast(fitted)
    if (shorter === null) return fitted
    fitted = shorter
  }
  return fitted
}

type Change = (key: string, value: unknown) => unknown

/** A copy in which every value below a key went through `change`, the outer ones last. */
function mapped(content: Content, change: Change): Content {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit)
    // An object of JSON.
    return typeof value === 'object' && value !== null ? mapped(value as Content, change) : value
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

/** Variables that the server needs, and the first command. */
function withoutExtras(key: string, value: unknown): unknown {
  if (!Array.isArray(value)) return value
  if (key === 'envVars') return value.filter((variable: { readonly required?: unknown }) => variable.required === true)
  return key === 'installations' ? value.slice(0, 1) : value
}

/** The same with the longest of its lists one shorter; null when it has no list with elements. */
function withoutLast(content: Content): Content | null {
  const lists = Object.entries(content).filter(
    (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > 0,
  )
  const [largest] = lists.sort(([, one], [, other]) => JSON.stringify(other).length - JSON.stringify(one).length)
  return largest ? { ...content, [largest[0]]: largest[1].slice(0, -1) } : null
}
