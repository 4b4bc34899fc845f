import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { faultOf } from '../trust/target.ts'
import { type DocumentFormat, decoded, type Fetched } from './web.ts'

/** A candidate source: a web page or a local file. */
export type Source =
  | { readonly kind: 'web'; readonly url: URL }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'invalid'; readonly reason: string }

/** Parses text with a scheme as a URL, other text as a file path. */
export function sourceOf(text: string): Source {
  if (!/^[\p{Cc}\p{Z}\ufeff]*[a-z][a-z\d+.-]*:\/\//iu.test(text)) return { kind: 'file', path: text }
  // A parser of URLs would drop such a character: the URL that is read would not be the one that was named.
  const fault = faultOf(text)
  if (fault !== null) return { kind: 'invalid', reason: fault }
  const url = URL.parse(text)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return { kind: 'web', url }
  if (url?.protocol !== 'file:') return { kind: 'invalid', reason: 'Expected an http(s) URL, or the path of a file.' }
  try {
    return { kind: 'file', path: fileURLToPath(url) }
  } catch {
    return { kind: 'invalid', reason: 'Expected a file of this machine.' }
  }
}

const FORMATS: ReadonlyMap<string, DocumentFormat> = new Map([
  ['.html', 'html'],
  ['.htm', 'html'],
  ['.xhtml', 'html'],
  ['.txt', 'text'],
  ['.md', 'text'],
])

/** Reads a local file in the form of a fetched page. Never rejects. */
export async function readPage(path: string, maxBytes: number): Promise<Fetched> {
  const format = FORMATS.get(extname(path).toLowerCase())
  try {
    const found = await stat(path)
    if (!found.isFile()) return { kind: 'failed', reason: 'It is no file.' }
    if (!format) return { kind: 'failed', reason: `It is none of ${[...FORMATS.keys()].join(', ')}.` }
    if (found.size > maxBytes) return { kind: 'failed', reason: `It is longer than ${maxBytes} bytes.` }
    return { kind: 'page', url: path, format, text: decoded(await readFile(path)) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    return {
      kind: 'failed',
      reason: code === 'ENOENT' ? 'There is no such file; web pages begin with https://.' : `It cannot be read: ${code}.`,
    }
  }
}
