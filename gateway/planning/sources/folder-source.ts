import { watch } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, extname, join, relative, sep } from 'node:path'
import { type DocumentNode, parse } from 'graphql'
import { z } from 'zod'
import type { SubgraphDefinition } from '../composition.ts'
import { MAX_SUPERGRAPH_BYTES, SourceError, type SupergraphSource } from './source.ts'

/** Upper bound of subgraphs in a folder. */
const MAX_SUBGRAPHS = 500
/** Names of a file that lists the subgraphs, in the format of `rover supergraph compose`. */
const LISTS = ['supergraph.yaml', 'supergraph.yml']

const subgraphList = z.object({
  subgraphs: z.record(
    z.string().regex(/^\w[\w-]*$/, 'expected a name of letters, digits, _ and -'),
    z.object({
      routing_url: z.string().optional(),
      schema: z.strictObject({ file: z.string() }, 'expected schema.file: the only form that is read'),
    }),
  ),
})

/** SDL file of one subgraph. */
type SubgraphFile = { readonly name: string; readonly file: string; readonly url?: string }

/**
 * Composes the SDL files of a folder: those listed in `supergraph.yaml`, with their URLs, otherwise
 * every `<name>.graphql`.
 */
export function folderSource({ path, pollSeconds }: { readonly path: string; readonly pollSeconds: number }): SupergraphSource {
  const description = `folder ${path}`
  let known: string | null = null
  return {
    description,
    pollSeconds,
    async fetch() {
      const files = await subgraphFiles(path, description)
      const read = await readAll(files, description)
      const state = JSON.stringify(read)
      if (state === known) return { sdl: null }
      const subgraphs = read.map(
        ({ sdl, ...subgraph }): SubgraphDefinition => ({ ...subgraph, typeDefs: parsed(sdl, subgraph.name, description) }),
      )
      const sdl = await composed(subgraphs, description)
      known = state
      return { sdl }
    },
    watch(changed) {
      try {
        const watcher = watch(path, { persistent: false }, changed)
        watcher.on('error', () => watcher.close())
        return () => watcher.close()
      } catch {
        // Watching failed: not every file system reports changes. Polling remains.
        return () => {}
      }
    },
    forget() {
      known = null
    },
  }
}

async function subgraphFiles(folder: string, description: string): Promise<readonly SubgraphFile[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new SourceError(`${description}: cannot be read (${error.code}).`)
  })
  const list = LISTS.find((name) => names.includes(name))
  const files = list
    ? await listedFiles(folder, join(folder, list), description)
    : names
        .filter((name) => /\.graphqls?$/.test(name))
        .sort()
        .map((name) => ({ name: basename(name, extname(name)), file: join(folder, name) }))
  if (files.length === 0)
    throw new SourceError(`${description}: expected supergraph.yaml, or a file <name>.graphql per subgraph.`)
  if (files.length > MAX_SUBGRAPHS) throw new SourceError(`${description}: expected at most ${MAX_SUBGRAPHS} subgraphs.`)
  return files
}

async function listedFiles(folder: string, list: string, description: string): Promise<readonly SubgraphFile[]> {
  // Imported on demand: most gateways read no YAML.
  const { parse: parseYaml } = await import('yaml')
  let given: unknown
  try {
    given = parseYaml(await textOf(list, description), { maxAliasCount: 100 })
  } catch (error) {
    throw error instanceof SourceError ? error : new SourceError(`${description}: ${basename(list)}: ${firstLine(error)}.`)
  }
  const valid = subgraphList.safeParse(given)
  if (!valid.success) {
    const [issue] = valid.error.issues
    throw new SourceError(`${description}: ${basename(list)}: ${issue?.path.join('.') || 'subgraphs'}: ${issue?.message}.`)
  }
  return Object.entries(valid.data.subgraphs).map(([name, { routing_url: url, schema }]) => {
    const file = join(folder, schema.file)
    // Files outside the folder are refused: the list may come from an untrusted author.
    if (relative(folder, file).split(sep)[0] === '..') {
      throw new SourceError(
        `${description}: ${basename(list)}: subgraphs.${name}.schema.file: expected a file inside the folder.`,
      )
    }
    return { name, file, ...(url !== undefined && { url }) }
  })
}

async function readAll(files: readonly SubgraphFile[], description: string) {
  let characters = 0
  const read: { readonly name: string; readonly url?: string; readonly sdl: string }[] = []
  for (const { file, ...subgraph } of files) {
    const sdl = await textOf(file, description)
    characters += sdl.length
    if (characters > MAX_SUPERGRAPH_BYTES)
      throw new SourceError(`${description}: expected at most ${MAX_SUPERGRAPH_BYTES / 1e6} MB in all.`)
    read.push({ ...subgraph, sdl })
  }
  return read
}

async function textOf(file: string, description: string): Promise<string> {
  try {
    const { size } = await stat(await realpath(file))
    if (size > MAX_SUPERGRAPH_BYTES)
      throw new SourceError(`${description}: ${basename(file)}: expected at most ${MAX_SUPERGRAPH_BYTES / 1e6} MB.`)
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof SourceError) throw error
    // File system errors have a `code`.
    throw new SourceError(`${description}: ${basename(file)} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

function parsed(sdl: string, name: string, description: string): DocumentNode {
  try {
    return parse(sdl)
  } catch (error) {
    throw new SourceError(`${description}: SDL of "${name}": ${firstLine(error)}.`)
  }
}

async function composed(subgraphs: readonly SubgraphDefinition[], description: string): Promise<string> {
  // Imported on demand: only this source composes.
  const { compose } = await import('../composition.ts')
  try {
    return compose(subgraphs)
  } catch (error) {
    const [, reason = firstLine(error)] = String(error instanceof Error ? error.message : error).split('\n')
    throw new SourceError(`${description}: the subgraphs do not compose: ${reason.trim().replace(/\.$/, '')}.`)
  }
}

const firstLine = (error: unknown): string =>
  ((error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '').replace(/\.$/, '')
