import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buildSchema, type GraphQLSchema, parse } from 'graphql'
import { apiSchemaOf, compose, type SubgraphDefinition } from '../../gateway/planning/composition.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'

const SCHEMA_FOLDER = join(import.meta.dirname, '../../schema')

/** Composed supergraph of this version, in the same folder as the subgraphs. */
const SUPERGRAPH_FILE = 'supergraph.graphql'

/** API schema in use: of `file`, by default this version's supergraph. */
export const currentSchema = (file = join(SCHEMA_FOLDER, SUPERGRAPH_FILE)): GraphQLSchema => schemaIn(file)

/**
 * API schema of the SDL at `path`: a schema, a supergraph, or a folder with parts of one schema.
 */
export const schemaIn = (path: string): GraphQLSchema => schemaOf(sdlIn(path), path)

/**
 * API schema after replacing the subgraph `name` by the SDL at `path`. `folder` has a file or
 * folder per subgraph, named like it; by default those of this version.
 */
export function schemaWithSubgraph(path: string, name: string, folder = SCHEMA_FOLDER): GraphQLSchema {
  const others = subgraphsIn(folder).filter((subgraph) => subgraph.name !== name)
  const proposed = { name, typeDefs: parsed(sdlIn(path), path) }
  let supergraph: string
  try {
    supergraph = compose([...others, proposed].sort((one, other) => (one.name < other.name ? -1 : 1)))
  } catch (error) {
    throw new OperatorError(error instanceof Error ? error.message : String(error), { cause: error })
  }
  return schemaOf(supergraph, path)
}

function subgraphsIn(folder: string): readonly SubgraphDefinition[] {
  return entriesOf(folder).flatMap((entry): readonly SubgraphDefinition[] => {
    const path = join(folder, entry)
    if (entry === SUPERGRAPH_FILE || (!entry.endsWith('.graphql') && !isFolder(path))) return []
    return [{ name: basename(entry, '.graphql'), typeDefs: parsed(sdlIn(path), path) }]
  })
}

/** SDL of a file, or of all `.graphql` files in a folder and its subfolders. */
function sdlIn(path: string): string {
  if (!isFolder(path)) return textOf(path)
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.graphql'))
  if (files.length === 0) throw new OperatorError(`Expected "${path}" to have .graphql files, found none.`)
  return files
    .sort()
    .map((name) => textOf(join(path, name)))
    .join('\n')
}

function schemaOf(sdl: string, path: string): GraphQLSchema {
  const isSupergraph = parsed(sdl, path).definitions.some(
    (definition) => definition.kind === 'EnumTypeDefinition' && definition.name.value === 'join__Graph',
  )
  try {
    return buildSchema(isSupergraph ? apiSchemaOf(sdl) : sdl)
  } catch (error) {
    throw new OperatorError(`"${path}" is no valid ${isSupergraph ? 'supergraph' : 'schema'}: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}

function parsed(sdl: string, path: string): ReturnType<typeof parse> {
  try {
    return parse(sdl, { noLocation: true })
  } catch (error) {
    throw new OperatorError(`"${path}" is no SDL: ${reasonOf(error)}`, { cause: error })
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    throw new OperatorError(`The folder "${folder}" cannot be read: ${reasonOf(error)}`, { cause: error })
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new OperatorError(`The file "${path}" cannot be read: ${reasonOf(error)}`, { cause: error })
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
