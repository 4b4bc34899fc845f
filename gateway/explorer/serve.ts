import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Assets, assetsOf } from '../../platform/http/assets.ts'
import type { Gateway } from '../gateway.ts'

const ASSETS = '/explorer/assets'

/**
 * Content security policy: no external resources and no inline scripts. GraphiQL sets inline
 * styles, and embeds fonts and images in its stylesheet.
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

/** An operation to try. */
export type Example = { readonly query: string; readonly variables?: string }

/** Initial tab for an unknown graph. */
const FIRST_QUESTION: Example = {
  query: '# Press Ctrl-Enter to run; Ctrl-Space lists the available fields.\n{\n  __typename\n}\n',
}

/** A header that a user may fill in, and what stands in front of its value. */
export type ExplorerKey = { readonly header: string; readonly label: string; readonly prefix?: string }

/** Credentials of unknown graphs. */
const DEFAULT_KEYS: readonly ExplorerKey[] = [
  { header: 'authorization', label: 'Bearer token', prefix: 'Bearer ' },
  { header: 'x-api-key', label: 'API key' },
]

/** Options of the explorer. */
export type ExplorerOptions = {
  /** Operations of the gallery; the first two are initial tabs. */
  readonly examples?: readonly Example[]
  /** Credentials that the form has fields for. */
  readonly keys?: readonly ExplorerKey[]
  /** Mutation that returns a token for `$email` and `$password`, as `login`; null for none. */
  readonly signIn?: string | null
  /** URL of the site that the explorer links to; null for none. */
  readonly home?: string | null
  /** Who may read query traces; null: nobody, so that there is no panel for them. */
  readonly traces?: Gateway['queryTraces']
}

/** Whether GraphiQL and React, optional dependencies of the published gateway, are installed. */
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
 * Serves GraphiQL's files from `node_modules` and Atrium's own under `/explorer/assets`, with a
 * content hash in the name so that browsers cache them permanently. Returns the function that sends
 * the page; the GraphQL endpoint calls it.
 */
export async function serveExplorer(
  app: FastifyInstance,
  { examples = [FIRST_QUESTION], keys = DEFAULT_KEYS, signIn = null, home = null, traces = null }: ExplorerOptions = {},
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
      own('trace.js'),
      own('tools.js'),
      own('builder.js'),
      own('page.js'),
      own('page.css'),
      own('icon.svg'),
    ],
    [['explorer.js', `const EXPLORER = ${JSON.stringify({ examples, keys, signIn, home, traces })}\n`]],
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
