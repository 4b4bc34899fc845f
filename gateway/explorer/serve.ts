import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Assets, assetsOf } from '../../platform/http/assets.ts'

const ASSETS = '/explorer/assets'

/**
 * Nothing from elsewhere, no script in the page. GraphiQL sets styles on elements and brings its
 * fonts and pictures inside its stylesheet.
 */
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
const FIRST_QUESTION: Example = {
  query: '# Press Ctrl-Enter to run; Ctrl-Space lists the available fields.\n{\n  __typename\n}\n',
}

/** What the explorer knows about a graph. */
export type ExplorerOptions = {
  /** The first tabs. */
  readonly examples?: readonly Example[]
  /**
   * The operation that gives a token for `$email` and `$password`, as `login`; null where there is
   * none.
   */
  readonly signIn?: string | null
  /** Address of the pages that the explorer belongs to; null where there are none. */
  readonly home?: string | null
}

/** Whether GraphiQL and React are installed: optional packages of the published gateway. */
export function isExplorerInstalled(): boolean {
  const require = createRequire(import.meta.url)
  try {
    for (const name of ['react', 'react-dom', 'graphiql']) require.resolve(`${name}/package.json`)
    return true
  } catch {
    return false
  }
}

/**
 * Serves GraphiQL's files from `node_modules` and our own under `/explorer/assets`, named by their
 * content so that browsers may keep them for ever, and returns what sends the page: the GraphQL
 * endpoint decides when.
 */
export async function serveExplorer(
  app: FastifyInstance,
  { examples = [FIRST_QUESTION], signIn = null, home = null }: ExplorerOptions = {},
): Promise<(reply: FastifyReply) => FastifyReply> {
  const require = createRequire(import.meta.url)
  const fileOf = (packageName: string, path: string) => join(dirname(require.resolve(`${packageName}/package.json`)), path)
  const own = (name: string) => join(import.meta.dirname, name)

  const assets: Assets = assetsOf(
    ASSETS,
    [
      fileOf('react', 'umd/react.production.min.js'),
      fileOf('react-dom', 'umd/react-dom.production.min.js'),
      fileOf('graphiql', 'graphiql.min.js'),
      fileOf('graphiql', 'graphiql.min.css'),
      own('credentials.js'),
      own('page.js'),
      own('page.css'),
      own('icon.svg'),
    ],
    [['explorer.js', `const EXPLORER = ${JSON.stringify({ examples, signIn, home })}\n`]],
  )
  await assets.serve(app)
  const page = readFileSync(own('page.html'), 'utf8').replaceAll(/\/explorer\/assets\/([\w.-]+)/g, (_, name: string) =>
    assets.pathOf(name),
  )

  return (reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', POLICY)
      .header('referrer-policy', 'no-referrer')
      .header('cross-origin-opener-policy', 'same-origin')
      .header('cache-control', 'no-cache')
      .send(page)
}
