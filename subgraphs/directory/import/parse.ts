import { extname } from 'node:path'
import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { type LookupTable, lookupTable } from '../../../platform/collections/lookup-table.ts'

/** The value of a file, or its error; `content` is null for a Markdown file without frontmatter. */
export type Parsed =
  | { readonly text: string; readonly content: unknown }
  | { readonly fault: { readonly line: number | null; readonly reason: string } }

/** Real files nest at most about 12 deep. */
const MAX_DEPTH = 64

/** Real files use no aliases at all; a few are harmless, thousands are a bomb. */
const MAX_ALIASES = 20

/** Only the types of JSON: no tags, no merge keys, no dates. */
const YAML_OPTIONS = { schema: 'core', merge: false, resolveKnownTags: false, prettyErrors: false } as const

/**
 * Decodes and parses a file by its ending. Never throws. Objects of the result have no prototype.
 */
export function parse(path: string, bytes: Uint8Array): Parsed {
  const text = decode(bytes)
  if (text === null) return fault('is not valid UTF-8')
  if (text.trim() === '') return fault('is empty')
  const parsed = PARSERS[extname(path).toLowerCase()]?.(text, path) ?? fault('has an ending that is not read')
  if ('fault' in parsed) return parsed
  return tame(parsed.content) ? parsed : fault(`is nested more than ${MAX_DEPTH} deep`)
}

const PARSERS: LookupTable<(text: string, path: string) => Parsed> = lookupTable({
  '.json': parseJson,
  '.yaml': (text) => parseYaml(text, text, 0),
  '.yml': (text) => parseYaml(text, text, 0),
  '.md': parseMarkdown,
})

/**
 * Whose broken frontmatter is worth a word; in other Markdown files `---` is as often a line across
 * the page.
 */
const SKILL = /(^|\/)skill\.md$/i

const fault = (reason: string, line: number | null = null): Parsed => ({ fault: { line, reason } })

function decode(bytes: Uint8Array): string | null {
  try {
    // Removes a byte order mark as well.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function parseJson(text: string): Parsed {
  try {
    return { text, content: JSON.parse(text) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const position = /at position (\d+)/.exec(message)?.[1]
    // "Unexpected end" names no position: it is the last line.
    const end = position === undefined ? text.trimEnd().length : Number(position)
    // The text between the description and the position quotes the file; the line is enough.
    const reason = message.replace(/,? ?(\.\.\.)?"[\s\S]*$| in JSON at position[\s\S]*$/, '')
    return fault(`is not valid JSON: ${reason}`, lineAt(text, end))
  }
}

function parseYaml(text: string, source: string, linesBefore: number): Parsed {
  if (hopeless(source)) return fault(`is nested more than ${MAX_DEPTH} deep`)
  const lineCounter = new LineCounter()
  try {
    // The library compares each key with every other: a minute for 60,000 keys. `misuse` does it
    // with a set.
    const document = parseDocument(source, { ...YAML_OPTIONS, uniqueKeys: false, lineCounter })
    // An unknown tag is only a warning to the library.
    const error = document.errors[0] ?? document.warnings[0]
    if (error) {
      return fault(`is not valid YAML: ${firstLine(error.message)}`, linesBefore + lineCounter.linePos(error.pos[0]).line)
    }
    const misused = misuse(document)
    if (misused !== null) return fault(misused)
    return { text, content: document.toJS({ maxAliasCount: MAX_ALIASES }) }
  } catch (error) {
    // A RangeError is the library's stack at its end; a ReferenceError its own count of aliases.
    if (error instanceof RangeError) return fault(`is nested more than ${MAX_DEPTH} deep`)
    return fault(`is not valid YAML: ${error instanceof Error ? firstLine(error.message) : String(error)}`)
  }
}

/**
 * What the parser would need seconds to find out: brackets or list marks opened thousands of times.
 */
function hopeless(source: string): boolean {
  let [depth, deepest] = [0, 0]
  for (const character of source) {
    if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    if (depth > deepest) deepest = depth
  }
  return deepest > 2_000 || /(?:[-?][ \t]+){200}/.test(source)
}

/** A repeated key, or too many aliases; null when there is neither. */
function misuse(document: Document): string | null {
  let aliases = 0
  let found: string | null = null
  visit(document, {
    Alias: () => {
      aliases += 1
      if (aliases <= MAX_ALIASES) return undefined
      found = `uses more than ${MAX_ALIASES} YAML aliases`
      return visit.BREAK
    },
    Map: (_, { items }) => {
      const keys = new Set(items.map(({ key }) => (isScalar(key) ? key.value : key)))
      if (keys.size === items.length) return undefined
      found = 'is not valid YAML: a key occurs twice in one map'
      return visit.BREAK
    },
  })
  return found
}

/** Only the frontmatter is parsed. Text after the first 2,000 lines can not belong to one. */
function parseMarkdown(text: string, path: string): Parsed {
  const parsed = parseFrontmatter(text)
  return 'fault' in parsed && !SKILL.test(path) ? { text, content: null } : parsed
}

function parseFrontmatter(text: string): Parsed {
  if (!/^---[ \t]*\r?\n/.test(text)) return { text, content: null }
  const lines = text.split(/\r?\n/, 2_000)
  const end = lines.findIndex((line, index) => index > 0 && /^(---|\.\.\.)\s*$/.test(line))
  if (end === -1) return fault('opens a frontmatter with --- and never closes it', 1)
  const frontmatter = lines.slice(1, end)
  const strict = parseYaml(text, frontmatter.join('\n'), 1)
  if (!('fault' in strict)) return strict
  return lenient(frontmatter, text) ?? strict
}

/**
 * Many files have `description: Use when: …`, which is not YAML, and yet plain to a reader:
 * top-level `key: text` lines.
 */
function lenient(lines: readonly string[], text: string): Parsed | null {
  // `Object.create` answers `any`.
  const content = Object.create(null) as Record<string, unknown>
  for (const line of lines) {
    const [, key = '', value = ''] = /^(name|description|category):[ \t]+(?![|>&*!])(.*\S)\s*$/.exec(line) ?? []
    if (key !== '') content[key] = value.replace(/^(["'])(.*)\1$/, '$2')
  }
  return 'name' in content && 'description' in content ? { text, content } : null
}

/**
 * Removes the prototypes of a parsed value, so that no key of a file (`__proto__`, `constructor`)
 * means anything; false when nested too deep.
 */
export function tame(content: unknown): boolean {
  let level: unknown[] = [content]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return false
    const below: unknown[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue
      if (!Array.isArray(value)) Object.setPrototypeOf(value, null)
      for (const child of Object.values(value)) if (typeof child === 'object' && child !== null) below.push(child)
    }
    level = below
  }
  return true
}

const firstLine = (message: string): string => message.split('\n', 1)[0] ?? ''

function lineAt(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) line += 1
  return line
}
