import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DocumentNode, parse } from 'graphql'
import { memoize } from '../../platform/collections/memoize.ts'

/**
 * The SDL of one subgraph: all files of its folder in `schema/`. Without locations, which a schema
 * would keep with every token of the text.
 */
export const sdlOf = memoize((subgraph: string): DocumentNode => {
  const folder = join(import.meta.dirname, '../../schema', subgraph)
  const files = readdirSync(folder).sort()
  return parse(files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n'), { noLocation: true })
})
