import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ASTNode, parse, type StringValueNode, visit } from 'graphql'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const MAX_COLUMNS = 100

/**
 * Words of the glossary's "not" column that users would read in descriptions, and what to write
 * instead.
 */
const BANNED: readonly { readonly word: RegExp; readonly instead: string }[] = [
  { word: /\bways?\b/i, instead: 'shipping method, payment method, transport' },
  { word: /\b(ask|asks|asked|asking)\b/i, instead: 'request, query, caller' },
  { word: /\b(tell|tells|told|telling)\b/i, instead: 'return, notify, state' },
  { word: /\b(whoever|whatever|whichever|whom)\b/i, instead: 'caller, user, holder' },
  { word: /\b(nobody|somebody) (said|says|knows?|else)\b/i, instead: 'null when unknown, another user' },
  { word: /\bwho (may|asks|is asked)\b/i, instead: 'caller, user' },
  { word: /\bleft carts?\b/i, instead: 'abandoned cart' },
  { word: /\b(hold|holds|held|let go|lets go|give back|gives back)\b/i, instead: 'reserve, release' },
  { word: /\b(settled|worked out|works out)\b/i, instead: 'calculate' },
  { word: /\bsilent\b/i, instead: 'unavailable, timed out' },
  { word: /\bslips?\b/i, instead: 'typosquat, edit distance' },
  { word: /\bthings?\b/i, instead: 'object, item' },
  { word: /\b(is|are) gone\b/i, instead: 'was deleted' },
  { word: /\brefuse(s|d)?\b/i, instead: 'reject' },
  { word: /\bdoors?\b/i, instead: 'endpoint, transport' },
  { word: /\b(log-in|log in|log-ins|logs in)\b/i, instead: 'sign in' },
  { word: /\bwhat is kept\b/i, instead: 'stored' },
  { word: /\b(present|other) secret\b/i, instead: 'secret rotation with overlap' },
  { word: /\bpictures?\b/i, instead: 'image' },
]

/** Legitimate uses in the field: the coordinate's description may hold these words. */
const ALLOWED: Readonly<Record<string, { readonly text: string; readonly why: string }>> = {
  'ReasonCode.REGISTRY_HOLD': { text: 'on hold', why: 'EPP status serverHold / clientHold (RFC 5731 §2.3)' },
  'LocationAddress.complement': { text: 'Floor, door', why: 'the door of a flat' },
  'CreateLocationInput.complement': { text: 'Floor, door', why: 'the door of a flat' },
  'UpdateLocationInput.complement': { text: 'Floor, door', why: 'the door of a flat' },
}

type Description = { readonly coordinate: string; readonly text: string; readonly lines: readonly string[] }

/** Every description of a document with the lines that it stands on. */
function descriptionsOf(sdl: string): Description[] {
  const lines = sdl.split('\n')
  const path: string[] = []
  const found: Description[] = []
  visit(parse(sdl), {
    enter(node: ASTNode & { readonly description?: StringValueNode | undefined }) {
      if (!('name' in node) || !isDefinition(node)) return
      path.push(node.name?.value ?? node.kind)
      const { description } = node
      if (!description?.loc) return
      const { startToken, endToken } = description.loc
      // A block string spans the newlines of its source, which its value lacks.
      const height = sdl.slice(description.loc.start, description.loc.end).split('\n').length
      found.push({
        coordinate: path.join('.'),
        text: description.value,
        lines: lines.slice(startToken.line - 1, endToken.line - 1 + height),
      })
    },
    leave(node) {
      if ('name' in node && isDefinition(node)) path.pop()
    },
  })
  return found
}

const isDefinition = ({ kind }: ASTNode) => kind.endsWith('Definition') || kind.endsWith('Extension')

const bannedIn = (sdl: string): string[] =>
  descriptionsOf(sdl).flatMap(({ coordinate, text }) => {
    const read = text.replace(/`[^`]*`/g, '').replace(ALLOWED[coordinate]?.text ?? '\0', '')
    return BANNED.filter(({ word }) => word.test(read)).map(({ instead }) => `${coordinate}: "${text}" (write: ${instead})`)
  })

const tooWide = (sdl: string): string[] =>
  descriptionsOf(sdl).flatMap(({ coordinate, lines }) =>
    lines.filter((line) => line.length > MAX_COLUMNS).map((line) => `${coordinate}: ${line.length} columns`),
  )

const files = globSync('schema/*/*.graphql', { cwd: ROOT }).sort()
const sdlOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')

test.each(files)('%s: descriptions use the words of the glossary', (file) => {
  expect(bannedIn(sdlOf(file))).toEqual([])
})

test.each(files)(`%s: descriptions have at most ${MAX_COLUMNS} columns`, (file) => {
  expect(tooWide(sdlOf(file))).toEqual([])
})

test('every allowed use is still there', () => {
  const all = new Map(files.flatMap((file) => descriptionsOf(sdlOf(file))).map(({ coordinate, text }) => [coordinate, text]))
  const stale = Object.entries(ALLOWED).filter(([coordinate, { text }]) => !all.get(coordinate)?.includes(text))
  expect(stale).toEqual([])
})

test('a banned word and a wide line are found, an identifier in backticks is not', () => {
  const sdl = `"A way to send, see \`whoever\`."\ntype T {\n  """\n  ${'x'.repeat(99)}\n  """\n  a("As in \`hold\`." b: Int): Int\n}`
  expect(bannedIn(sdl)).toEqual(['T: "A way to send, see `whoever`." (write: shipping method, payment method, transport)'])
  expect(tooWide(sdl)).toEqual(['T.a: 101 columns'])
})
