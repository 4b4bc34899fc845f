import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type LookupTable, lookupTable } from '../collections/lookup-table.ts'
import { compressResponses } from './compression.ts'

const YEAR_SECONDS = 31_536_000

const TYPES: LookupTable<string> = lookupTable({
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  png: 'image/png',
  woff2: 'font/woff2',
})

/** Files that are bytes, not text: they are sent as they are. */
const BINARY_EXTENSIONS: ReadonlySet<string> = new Set(['png', 'woff2'])
/** How a stylesheet names a file that is published beside it. */
const CSS_URL = /url\("\.\/([\w.-]+)"\)/g

/** Comments on lines of their own, but for licences. */
const CSS_COMMENTS = /^[ \t]*\/\*(?!!)[\s\S]*?\*\/[ \t]*$/gm
/** Indentation and empty lines. */
const CSS_BLANKS = /\n\s+/g

/** Without what browsers do not need: a seventh of its bytes. */
const shortened = (stylesheet: string): string => stylesheet.replaceAll(CSS_COMMENTS, '').replaceAll(CSS_BLANKS, '\n')

/**
 * Files that pages need. Their published names change with their content, so that browsers may keep
 * them for ever.
 */
export type Assets = {
  /** Path of a file by its name. Throws when there is none: the page is wrong then. */
  readonly pathOf: (name: string) => string
  readonly serve: (app: FastifyInstance) => Promise<void>
}

/**
 * The files at these paths, and `texts` by name, below `prefix`. Names must differ. A stylesheet may
 * name files that stand before it in `files` as `url("./name")`.
 */
export function assetsOf(
  prefix: string,
  files: readonly string[],
  texts: readonly (readonly [name: string, text: string])[] = [],
): Assets {
  const contents = new Map<string, string | Buffer>()
  const published = new Map<string, string>()
  const publish = (name: string, content: string | Buffer): void => {
    contents.set(name, content)
    published.set(name, publishedName(name, content))
  }
  const publishedAs = (name: string): string => {
    const known = published.get(name)
    if (known === undefined) throw new Error(`Expected the name of a published file, got "${name}".`)
    return known
  }
  for (const [name, text] of texts) publish(name, text)
  for (const file of files) {
    const content = contentOf(file)
    const isStylesheet = typeof content === 'string' && extensionOf(file) === 'css'
    publish(
      basename(file),
      isStylesheet ? shortened(content).replaceAll(CSS_URL, (_, name) => `url("./${publishedAs(name)}")`) : content,
    )
  }

  return {
    pathOf: (name) => `${prefix}/${publishedAs(name)}`,
    serve: async (app) => {
      await app.register(
        async (scope) => {
          compressResponses(scope)
          for (const [name, content] of contents) {
            scope.get(`/${published.get(name)}`, async (_, reply) =>
              reply
                .type(TYPES[extensionOf(name)] ?? 'text/plain; charset=utf-8')
                .header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`)
                .header('cross-origin-resource-policy', extensionOf(name) === 'png' ? 'cross-origin' : 'same-origin')
                .send(content),
            )
          }
        },
        { prefix },
      )
    },
  }
}

const extensionOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

const contentOf = (file: string): string | Buffer =>
  BINARY_EXTENSIONS.has(extensionOf(file)) ? readFileSync(file) : withoutSourceMap(readFileSync(file, 'utf8'))

/** Debuggers would ask for files that we do not serve. */
const withoutSourceMap = (text: string): string => text.replaceAll(/^\/[/*]# sourceMappingURL=.*$/gm, '')

function publishedName(name: string, content: string | Buffer): string {
  const dot = name.lastIndexOf('.')
  return `${name.slice(0, dot)}.${createHash('sha256').update(content).digest('hex').slice(0, 12)}${name.slice(dot)}`
}
