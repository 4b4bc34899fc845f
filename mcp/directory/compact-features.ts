import { type AnswerContent, bytesOf, MAX_ANSWER_BYTES, withShortDescriptions } from './compact.ts'

/** Room for what is said of the parts that are left out, without the path of the page. */
const NOTE_BYTES = 300

/** Lists of features, in the order in which they are told of. */
const LISTS = ['tools', 'prompts', 'findings', 'changes'] as const

type Lists = Record<(typeof LISTS)[number], readonly unknown[]>

/**
 * Makes what a server offers fit into `MAX_ANSWER_BYTES`: descriptions get shorter, then the last
 * elements of the longest list are left out, again and again. `leftOut` says how many of each, and
 * how to get them; null when nothing is left out.
 */
export function compactFeatures(content: AnswerContent, { offset, promptOffset }: AnswerContent): AnswerContent {
  const page = `/api/mcp/${encodeURIComponent(String(content.owner))}/${encodeURIComponent(String(content.repo))}/features`
  const maxBytes = MAX_ANSWER_BYTES - NOTE_BYTES - bytesOf(page)
  const { features, ...rest } = withShortDescriptions(content, maxBytes)
  if (!isContent(features)) return { ...content, leftOut: null }
  // The operation selects these lists.
  const whole = Object.fromEntries(LISTS.map((list) => [list, features[list]])) as Lists
  const lists = fitting(whole, maxBytes - bytesOf({ ...rest, features: { ...features, ...EMPTY } }))
  const [tools, prompts] = [Number(offset) + lists.tools.length, Number(promptOffset) + lists.prompts.length]
  const others = [
    counted(whole.findings.length - lists.findings.length, 'finding'),
    counted(whole.changes.length - lists.changes.length, 'change'),
  ].filter((text) => text !== '')
  const notes = [
    how(counted(Number(features.toolCount) - tools, 'tool'), `call again with offset ${tools}`),
    how(counted(Number(features.promptCount) - prompts, 'prompt'), `call again with promptOffset ${prompts}`),
    how(others.join(' and '), `GET ${page}`),
  ].filter((text) => text !== '')
  return {
    ...rest,
    features: { ...features, ...lists },
    leftOut: notes.length === 0 ? null : `Left out: ${notes.join('; ')}.`,
  }
}

const EMPTY: Lists = { tools: [], prompts: [], findings: [], changes: [] }

/** Empty for none. */
const counted = (count: number, noun: string): string => (count <= 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'}`)

const how = (what: string, command: string): string => (what === '' ? '' : `${what} (${command})`)

const isContent = (value: unknown): value is AnswerContent => typeof value === 'object' && value !== null

/** The same lists without the last elements of the one that takes most bytes, until all have `maxBytes`. */
function fitting(whole: Lists, maxBytes: number): Lists {
  const parts = LISTS.map((list) => {
    // An element and its comma.
    const sizes = whole[list].map((element) => bytesOf(element) + 1)
    return { list, sizes, bytes: sizes.reduce((sum, size) => sum + size, 0) }
  })
  const total = (): number => parts.reduce((sum, { bytes }) => sum + bytes, 0)
  while (total() > maxBytes) {
    const largest = parts.reduce((one, other) => (other.bytes > one.bytes ? other : one))
    largest.bytes -= largest.sizes.pop() ?? 0
    if (largest.sizes.length === 0) largest.bytes = 0
  }
  const shorter = parts.map(({ list, sizes }) => [list, whole[list].slice(0, sizes.length)] as const)
  return { ...whole, ...Object.fromEntries(shorter) }
}
