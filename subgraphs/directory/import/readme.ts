import type { Contribution, Reader, Skip } from './contribution.ts'
import { serverStatement } from './server.ts'
import { cleanText } from './text.ts'
import { repositoryOf } from './url.ts'

/** `- [name](url) - description`, with badges, pictures, bold type, signs and an em dash. */
const ENTRY =
  /^\s*(?:[-*+]|\d{1,4}[.)]) +(?:\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?|<img\b[^<>]*>|[^\p{L}\p{N}\s[<!]| )*\[([^\]]+)\]\((\S+?)\)(.*)$/u
/** A point of a list that has a link somewhere. */
const LINKED_POINT = /^\s*(?:[-*+]|\d{1,4}[.)]) .*(?:\]\((?!#)|<a\b|https?:\/\/)/
/**
 * Sections and names of other things than servers: libraries to build servers with, programs that
 * use them.
 */
const OTHER_SECTION =
  /\b(?:sdks?|clients?|librar(?:y|ies)|tutorials?|articles?|videos?|resources|community|contribut\w+|reading|legend|license)\b/i
const LIBRARY = /(?:^|[-_\s/])sdks?(?:$|[-_\s])/i
const HEADING = /^#{2,4} +(.+?) *#*$/
/** A page with fewer points that have links is a text that happens to have some. */
const MIN_ENTRIES = 5
/** Longest line that is read. */
const MAX_LINE_LENGTH = 2_000

const linesOf = (text: string): readonly string[] =>
  text.split(/\r?\n/).map((line) => (line.length > MAX_LINE_LENGTH ? '' : line))

/** Lines, counted from 1, that would be entries but for their length. */
const tooLongIn = (text: string): readonly number[] =>
  text.split(/\r?\n/).flatMap((line, index) => (line.length > MAX_LINE_LENGTH && /^\s{0,20}[-*] /.test(line) ? [index + 1] : []))

const isAboutServers = (text: string): boolean => /\bmcp\b|model context protocol/i.test(text.slice(0, 5_000))

/** Lists of servers in a README: best effort; entries without a repository are reported. */
export const readmeReader: Reader = {
  format: 'readme',
  recognises: (content, { path, text }) =>
    content === null &&
    /(^|\/)readme(\.[\w-]+)?\.md$/i.test(path) &&
    isAboutServers(text) &&
    linesOf(text).filter((line) => LINKED_POINT.test(line)).length >= MIN_ENTRIES &&
    entriesIn(text).length > 0,
  read: (_, { origin, path, text }) => {
    const contributions: Contribution[] = []
    const skipped: Skip[] = []
    const seen = new Set<string>()
    for (const line of tooLongIn(text))
      skipped.push({ origin, path, line, reason: `is longer than ${MAX_LINE_LENGTH} characters` })
    skipped.push(...otherPoints(text).map((line) => ({ origin, path, line, reason: 'is no entry that begins with a link' })))
    for (const { line, name, url, rest, heading } of entriesIn(text)) {
      const other = otherReason(name, url, heading)
      if (other !== null) {
        skipped.push({ origin, path, line, reason: other })
        continue
      }
      const description = rest
        .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/^[^\p{L}\p{N}]+/u, '')
      const statement = serverStatement({
        repository: url,
        names: [name],
        areLabels: true,
        title: name.split('/').at(-1),
        description,
        category: heading,
      })
      if (typeof statement === 'string') skipped.push({ origin, path, line, reason: statement })
      else if (seen.has(statement.identity)) skipped.push({ origin, path, line, reason: 'is listed twice: the first counts' })
      else {
        seen.add(statement.identity)
        contributions.push({ origin, path, locator: statement.identity, format: 'readme', statement })
      }
    }
    return { contributions, skipped }
  },
}

/** Why an entry is no server; null when it may be one. */
function otherReason(name: string, url: string, heading: string | null): string | null {
  if (heading !== null && OTHER_SECTION.test(heading)) return 'stands in a section that lists no servers'
  return LIBRARY.test(name) || LIBRARY.test(repositoryOf(url)?.repo ?? '') ? 'is a library, not a server' : null
}

/** Lines, counted from 1, of list items with a link that are no entries. */
const otherPoints = (text: string): readonly number[] =>
  linesOf(text).flatMap((line, index) => (LINKED_POINT.test(line) && !ENTRY.test(line) ? [index + 1] : []))

function entriesIn(text: string) {
  let heading: string | null = null
  return linesOf(text).flatMap((content, index) => {
    const title = HEADING.exec(content)?.[1]
    if (title !== undefined) heading = cleanText(title.replace(/[^\p{L}\p{N}&,/ -]+/gu, ''), 100)
    const [, name, url, rest] = ENTRY.exec(content) ?? []
    // Links inside the page are its table of contents.
    if (name === undefined || url === undefined || url.startsWith('#')) return []
    return repositoryOf(url) || /^https?:/.test(url) ? [{ line: index + 1, name, url, rest: rest ?? '', heading }] : []
  })
}
