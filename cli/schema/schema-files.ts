import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buildSchema, type GraphQLSchema, parse } from 'graphql'
import { apiSchemaOf, compose, type SubgraphDefinition } from '../../gateway/planning/composition.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'

const SCHEMA_FOLDER = join(import.meta.dirname, '../../schema')

/** The supergraph of this version, which is no subgraph. */
const SUPERGRAPH_FILE = 'supergraph.graphql'

/** What clients see of the served graph: of `file`, or of this version. */
export const currentSchema = (file = join(SCHEMA_FOLDER, SUPERGRAPH_FILE)): GraphQLSchema => schemaIn(file)

/** What clients would see of the SDL in `path`: a schema, a supergraph, or a folder of parts of one. */
export const schemaIn = (path: string): GraphQLSchema => schemaOf(sdlIn(path), path)

/**
 * What clients would see with `path` as the subgraph `name`, beside the others in `folder`: a file
 * or a folder for each, by its name; by default those of this version.
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

/** The SDL of a file, or of all `.graphql` files below a folder. */
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
