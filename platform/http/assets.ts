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
})

/**
 * Files that pages need. Their published names change with their content, so that browsers may keep
 * them for ever.
 */
export type Assets = {
  /** Path of a file by its name. Throws when there is none: the page is wrong then. */
  readonly pathOf: (name: string) => string
  readonly serve: (app: FastifyInstance) => Promise<void>
}

/** The files at these paths, and `texts` by name, below `prefix`. Names must differ. */
export function assetsOf(
  prefix: string,
  files: readonly string[],
  texts: readonly (readonly [name: string, text: string])[] = [],
): Assets {
  const contents = new Map<string, string | Buffer>([
    ...texts,
    ...files.map((file) => [basename(file), contentOf(file)] as const),
  ])
  const published = new Map([...contents].map(([name, content]) => [name, publishedName(name, content)]))

  return {
    pathOf(name) {
      const known = published.get(name)
      if (known === undefined) throw new Error(`Expected the name of a published file, got "${name}".`)
      return `${prefix}/${known}`
    },
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
  extensionOf(file) === 'png' ? readFileSync(file) : withoutSourceMap(readFileSync(file, 'utf8'))

/** Debuggers would ask for files that we do not serve. */
const withoutSourceMap = (text: string): string => text.replaceAll(/^\/[/*]# sourceMappingURL=.*$/gm, '')

function publishedName(name: string, content: string | Buffer): string {
  const dot = name.lastIndexOf('.')
  return `${name.slice(0, dot)}.${createHash('sha256').update(content).digest('hex').slice(0, 12)}${name.slice(dot)}`
}
