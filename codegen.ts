/**
 * Writes `.generated/` from the SDL and the operation files: resolver types per subgraph and typed
 * documents. Does nothing when a hash of all inputs is unchanged, so that it can stand in front of
 * every start.
 *
 *   node codegen.ts              generate what is out of date
 *   node codegen.ts --supergraph also write schema/supergraph.graphql, the committed composition, and docs/reference; refused
 *                                when the change breaks clients, unless --breaking says that this is meant
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Types } from '@graphql-codegen/plugin-helpers'
import { MAPPERS } from './codegen-models.ts'

const ROOT = import.meta.dirname
const OUT = join(ROOT, '.generated')
const SUBGRAPHS = ['directory', 'social', 'store', 'trust']
/** Scalars of Federation's directives, which subgraphs declare. */
const FEDERATION_SCALARS = {
  _FieldSet: 'string',
  _Any: 'unknown',
  link__Import: 'unknown',
  federation__FieldSet: 'string',
  FieldSet: 'string',
  federation__Scope: 'string',
  federation__Policy: 'string',
  federation__ContextFieldValue: 'string',
}
/** Rooms whose `.graphql` files are operations. */
const OPERATION_ROOMS = ['rest-facade', 'mcp', 'web', 'gateway']
/**
 * Operations that have a file of their own, because their names are those of a contract that does
 * not know of the others.
 */
const OWN_NAMES = [{ name: 'rest-facade/store', files: /^(rest-facade|mcp)\/store\// }]

const graphqlFiles = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.graphql'))
    .map((name) => join(folder, name))
    .sort()

const schemaFiles = SUBGRAPHS.flatMap((name) => graphqlFiles(`schema/${name}`))
const operationFiles = OPERATION_ROOMS.flatMap(graphqlFiles)
const writeSupergraph = process.argv.includes('--supergraph')

const hash = createHash('sha256')
for (const file of ['codegen.ts', 'codegen-models.ts', 'package-lock.json', ...schemaFiles, ...operationFiles]) {
  hash
    .update(file)
    .update('\0')
    .update(readFileSync(join(ROOT, file)))
    .update('\0')
}
const stamp = hash.digest('hex')

if (writeSupergraph || readStamp() !== stamp) await generate()
// A process of its own: its pages describe commands, which start by importing this file.
if (writeSupergraph) execFileSync(process.execPath, [join(ROOT, 'scripts/reference/write.ts')], { stdio: 'inherit' })

function readStamp(): string | null {
  try {
    return readFileSync(join(OUT, 'stamp'), 'utf8')
  } catch {
    return null
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  // Two starts may generate at once: a reader sees the old file or the new one, never half of one.
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, text)
  renameSync(temporary, file)
}

/** SDL of all files in a folder. */
function textOf(folder: string): string {
  return graphqlFiles(folder)
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n')
}

/** Types of the resolvers of one subgraph. */
async function writeResolverTypes(name: string): Promise<void> {
  const { codegen } = await import('@graphql-codegen/core')
  const typescript = await import('@graphql-codegen/typescript')
  const resolvers = await import('@graphql-codegen/typescript-resolvers')
  const { buildSubgraphSchema, printSubgraphSchema } = await import('@apollo/subgraph')
  const { parse } = await import('graphql')
  const schemaAst = buildSubgraphSchema({ ...parse(textOf(`schema/${name}`)) })
  write(
    join(OUT, name, 'resolvers.ts'),
    await codegen({
      filename: `${name}/resolvers.ts`,
      schema: parse(printSubgraphSchema(schemaAst)),
      schemaAst,
      documents: [],
      config: {},
      plugins: [
        {
          typescript: {
            enumsAsTypes: true,
            strictScalars: true,
            scalars: {
              ...FEDERATION_SCALARS,
              Url: 'string',
              JSON: 'unknown',
              Decimal: 'string',
              DateTime: { input: 'Date', output: 'Date | string' },
            },
            useTypeImports: true,
            immutableTypes: true,
          },
        },
        {
          'typescript-resolvers': {
            federation: true,
            useTypeImports: true,
            contextType: `../../subgraphs/${name}/context.ts#Context`,
            mappers: MAPPERS[name] ?? {},
            makeResolverTypeCallable: true,
          },
        },
      ],
      pluginMap: { typescript, 'typescript-resolvers': resolvers },
    }),
  )
}

async function generate(): Promise<void> {
  const { codegen } = await import('@graphql-codegen/core')
  const operations = await import('@graphql-codegen/typescript-operations')
  const documents = await import('@graphql-codegen/typed-document-node')
  const { parse, print, buildSchema, Kind } = await import('graphql')
  const { compose, apiSchemaOf, breakingChanges } = await import('./gateway/planning/composition.ts')

  const supergraph = compose(SUBGRAPHS.map((name) => ({ name, typeDefs: parse(textOf(`schema/${name}`)) })))
  if (writeSupergraph) commitSupergraph()

  const scalars = { DateTime: 'string', Url: 'string', JSON: 'unknown', Decimal: 'string' }
  for (const name of SUBGRAPHS) await writeResolverTypes(name)

  const apiSdl = apiSchemaOf(supergraph)
  const schemaAst = buildSchema(apiSdl)
  const others = operationFiles.filter((file) => !OWN_NAMES.some(({ files }) => files.test(file)))
  await writeOperations('operations.ts', others)
  for (const { name, files } of OWN_NAMES) {
    await writeOperations(
      `${name}.ts`,
      operationFiles.filter((file) => files.test(file)),
    )
  }
  write(join(OUT, 'stamp'), stamp)

  async function writeOperations(target: string, files: readonly string[]): Promise<void> {
    const sources: Types.DocumentFile[] = files.map((file) => {
      const document = parse(readFileSync(join(ROOT, file), 'utf8'))
      return { location: file, document, rawSDL: print(document) }
    })
    const named = new Map<string, string>()
    for (const { location, document } of sources) {
      for (const definition of document?.definitions ?? []) {
        if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION) continue
        const name = definition.name?.value ?? ''
        const before = named.get(name)
        if (before !== undefined)
          throw new Error(
            `Expected every operation and fragment to have a name of its own, got "${name}" in ${before} and ${location}.`,
          )
        named.set(name, location ?? '')
      }
    }
    write(
      join(OUT, target),
      await codegen({
        filename: target,
        schema: parse(apiSdl),
        schemaAst,
        documents: sources,
        config: {
          enumsAsTypes: true,
          strictScalars: true,
          scalars,
          useTypeImports: true,
          immutableTypes: true,
          optimizeDocumentNode: true,
        },
        plugins: [{ 'typescript-operations': {} }, { 'typed-document-node': {} }],
        pluginMap: { 'typescript-operations': operations, 'typed-document-node': documents },
      }),
    )
  }

  function commitSupergraph(): void {
    const file = join(ROOT, 'schema/supergraph.graphql')
    const breaks = existsSync(file) ? breakingChanges(readFileSync(file, 'utf8'), supergraph) : []
    if (breaks.length > 0 && !process.argv.includes('--breaking')) {
      console.error(
        `This change breaks clients; add --breaking when that is meant:\n${breaks.map((line) => `  ${line}`).join('\n')}`,
      )
      process.exit(1)
    }
    write(file, supergraph)
  }
}
