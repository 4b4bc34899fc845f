import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Questions that the whole graph can answer, in the order of their file names. */
export function graphExamples(): readonly { readonly query: string }[] {
  const folder = join(import.meta.dirname, 'examples')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => ({ query: readFileSync(join(folder, name), 'utf8') }))
}

/** How people sign in to the whole graph. */
export const graphSignIn = (): string => readFileSync(join(import.meta.dirname, 'signIn.graphql'), 'utf8')

/** Headers of the callers that the graph knows. */
export const graphKeys = [
  { header: 'authorization', label: 'User token', prefix: 'Bearer ' },
  { header: 'x-login-key', label: 'Store login' },
  { header: 'x-auth-token', label: 'Store authtoken' },
  { header: 'x-api-key', label: 'Trust key' },
] as const
