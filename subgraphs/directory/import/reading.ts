import { readFileSync } from 'node:fs'
import type { Contribution, ContributionFormat, Skip, SourceFile } from './contribution.ts'
import type { Origin } from './origin.ts'
import { parse, tame } from './parse.ts'
import { readers } from './readers.ts'
import { asPage, type RegistryAnswer } from './registry-api.ts'
import type { Rooted } from './store.ts'
import type { FoundFile } from './walk.ts'

/** What one file or list amounts to. */
export type SourceReading = {
  /** null when no reader recognised it, or it could not be parsed. */
  readonly format: ContributionFormat | null
  readonly contributions: readonly Rooted[]
  readonly skipped: readonly Skip[]
  /** Whether it is there and yet could not be understood: then its earlier records stay. */
  readonly unreadable: boolean
}

/** Unrecognised Markdown is plain text; unrecognised data is reported. */
const TEXT = /\.md$/i

/** Reads one file. Never throws. */
export function readFound(found: FoundFile): SourceReading {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(found.file)
  } catch {
    return unreadable(found, null, 'cannot be read')
  }
  return readBytes(found, bytes)
}

/** Reads the bytes of one file. Never throws. */
export function readBytes({ origin, path, root }: Origin & { readonly path: string }, bytes: Uint8Array): SourceReading {
  const parsed = parse(path, bytes)
  if ('fault' in parsed) return unreadable({ origin, path }, parsed.fault.line, parsed.fault.reason)
  return understand(parsed.content, { origin, path, text: parsed.text }, root)
}

/**
 * Reads pages of a registry's API as one list. Never throws. `seen`: how often each name was read,
 * over the parts of an answer.
 */
export function readAnswer(url: URL, answer: RegistryAnswer, seen = new Map<string, number>()): SourceReading {
  const source = { ...addressOfUrl(url), text: '' }
  // Row by row: one that is nested too deep must not take the others along.
  const isTame = answer.servers.map(tame)
  const servers = answer.servers.filter((_, index) => isTame[index])
  const deep = isTame.flatMap((tamed, index) => (tamed ? [] : [`servers[${index}] is nested too deep`]))
  const reading = understand(asPage({ ...answer, servers }), source, rootOfUrl(url))
  // The position in the list is no identity: one new server moves all others.
  const contributions = reading.contributions.map(({ contribution, root }) => {
    const { statement } = contribution
    // A name is unique in its registry, also in an answer that holds only what changed.
    const name = (statement.kind === 'MCP_SERVER' && statement.registered?.name) || statement.identity
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return { root, contribution: { ...contribution, locator: count === 1 ? name : `${name} ${count}` } }
  })
  const { origin, path } = source
  return {
    ...reading,
    contributions,
    skipped: [...deep.map((reason) => ({ origin, path, line: null, reason })), ...reading.skipped],
  }
}

/** Origin and path under which the records of a registry's API are stored. */
export const addressOfUrl = (url: URL): { origin: string; path: string } => ({
  origin: url.host,
  path: url.pathname.replace(/^\/+/, '') || 'servers',
})

export const rootOfUrl = (url: URL): string => `${url.origin}${url.pathname}`

const unreadable = ({ origin, path }: { origin: string; path: string }, line: number | null, reason: string): SourceReading => ({
  format: null,
  contributions: [],
  skipped: [{ origin, path, line, reason }],
  unreadable: true,
})

function understand(content: unknown, source: SourceFile, root: string): SourceReading {
  const { origin, path } = source
  try {
    const reader = readers.find((candidate) => candidate.recognises(content, source))
    if (!reader) {
      const skipped = TEXT.test(path) ? [] : [{ origin, path, line: null, reason: 'is in none of the known formats' }]
      return { format: null, contributions: [], skipped, unreadable: false }
    }
    const { contributions, skipped } = reader.read(content, source)
    const [storable, refused] = [contributions.filter(isStorable), contributions.filter((one) => !isStorable(one))]
    return {
      format: reader.format,
      contributions: storable.map((contribution) => ({ contribution, root })),
      skipped: [
        ...skipped,
        ...refused.map(({ locator }) => ({
          origin,
          path,
          line: null,
          reason: `${locator} holds characters that are not text`.trim(),
        })),
      ],
      unreadable: false,
    }
  } catch (error) {
    // A reader that fails is our fault; the file is still one file, and the others go on.
    return unreadable(source, null, `could not be understood: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** PostgreSQL keeps neither the character 0 nor half of a surrogate pair. */
function isStorable({ origin, path, locator, statement }: Contribution): boolean {
  const text = JSON.stringify([origin, path, locator, statement])
  return !/\\u0000|\\ud[89a-f]/.test(text.replaceAll('\\\\', ''))
}
