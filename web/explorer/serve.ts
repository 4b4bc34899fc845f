import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { compressAnswers } from '../../gateway/server.ts'

const ASSETS = '/explorer/assets'
const YEAR_SECONDS = 31_536_000

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
}

/** Nothing from elsewhere, no script in the page. GraphiQL sets styles on elements and brings its fonts and pictures inside its stylesheet. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A tab that the explorer opens with. */
export type Example = { readonly query: string; readonly variables?: string }

/** For a graph that we know nothing about. */
const FIRST_QUESTION: Example = { query: '# Press Ctrl-Enter to run; Ctrl-Space lists what can be asked.\n{\n  __typename\n}\n' }

/**
 * Serves GraphiQL's files from `node_modules` and our own under `/explorer/assets`, named by their content so that browsers may keep them for ever, and returns
 * what sends the page: the GraphQL endpoint decides when. `examples` are the first tabs.
 */
export async function serveExplorer(
  app: FastifyInstance,
  { examples = [FIRST_QUESTION] }: { readonly examples?: readonly Example[] } = {},
): Promise<(reply: FastifyReply) => FastifyReply> {
  const require = createRequire(import.meta.url)
  const fileOf = (packageName: string, path: string) => join(dirname(require.resolve(`${packageName}/package.json`)), path)
  const own = (name: string) => join(import.meta.dirname, name)

  const texts = new Map<string, string>([
    ['examples.js', `const EXAMPLES = ${JSON.stringify(examples)}\n`],
    ...[
      fileOf('react', 'umd/react.production.min.js'),
      fileOf('react-dom', 'umd/react-dom.production.min.js'),
      fileOf('graphiql', 'graphiql.min.js'),
      fileOf('graphiql', 'graphiql.min.css'),
      own('page.js'),
      own('page.css'),
      own('icon.svg'),
    ].map((file) => [file.slice(file.lastIndexOf('/') + 1), withoutSourceMap(readFileSync(file, 'utf8'))] as const),
  ])
  const published = new Map([...texts].map(([name, text]) => [name, publishedName(name, text)]))
  const page = readFileSync(own('page.html'), 'utf8').replaceAll(
    /\/explorer\/assets\/([\w.-]+)/g,
    (_, name: string) => `${ASSETS}/${published.get(name) ?? name}`,
  )

  await app.register(
    async (scope) => {
      compressAnswers(scope)
      for (const [name, text] of texts) {
        scope.get(`/${published.get(name)}`, async (_, reply) =>
          reply
            .type(TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain; charset=utf-8')
            .header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`)
            .header('cross-origin-resource-policy', 'same-origin')
            .send(text),
        )
      }
    },
    { prefix: ASSETS },
  )

  return (reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', POLICY)
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-cache')
      .send(page)
}

/** Questions that the whole graph can answer, in the order of their file names. */
export function graphExamples(): readonly Example[] {
  const folder = join(import.meta.dirname, 'examples')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => ({ query: readFileSync(join(folder, name), 'utf8') }))
}

/** Debuggers would ask for files that we do not serve. */
const withoutSourceMap = (text: string): string => text.replaceAll(/^\/[/*]# sourceMappingURL=.*$/gm, '')

const publishedName = (name: string, text: string): string => {
  const dot = name.lastIndexOf('.')
  return `${name.slice(0, dot)}.${createHash('sha256').update(text).digest('hex').slice(0, 12)}${name.slice(dot)}`
}
