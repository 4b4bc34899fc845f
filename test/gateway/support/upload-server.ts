import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { Busboy } from '@fastify/busboy'
import { type GraphQLSchema, graphql, parse } from 'graphql'
import { composeOnce } from './compose.ts'

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable"])'
const STORED = 'type Stored @shareable { key: String! name: String! type: String! bytes: Int! sha256: String! }'

/** Two subgraphs that take files. */
export const UPLOAD_SDL = {
  disk: `${LINK} scalar Upload ${STORED}
    input Album { title: String, cover: Upload, pages: [Upload!] }
    type Query { album(id: ID!): AlbumNode size(file: Upload): Int text(value: String): String }
    type AlbumNode @key(fields: "id") { id: ID! }
    type Mutation { store(file: Upload, files: [Upload]): [Stored!]! album(album: Album!): [Stored!]! note(text: String): String }`,
  media: `${LINK} scalar Upload ${STORED}
    type AlbumNode @key(fields: "id") { id: ID! matches(file: Upload): String }
    type Query { looksLike(file: Upload!): String }
    type Mutation { portrait(file: Upload!): Stored! }`,
}

/** A file as graphql-upload gives it to resolvers. */
type Received = { readonly filename: string; readonly mimetype: string; readonly createReadStream: () => Readable }
type Given = Promise<Received> | null | undefined

/** Reads a file; its name and digest. */
export async function stored(key: string, file: Given) {
  const received = await file
  if (!received) throw new Error(`Expected the file of ${key}.`)
  const digest = createHash('sha256')
  let bytes = 0
  for await (const chunk of received.createReadStream()) {
    digest.update(chunk)
    bytes += chunk.length
  }
  return { key, name: received.filename, type: received.mimetype, bytes, sha256: digest.digest('hex') }
}

async function inOrder(files: readonly (readonly [string, Given])[]) {
  const all = []
  for (const [key, file] of files) if (file) all.push(await stored(key, file))
  return all
}

export const uploadSchema = (name: keyof typeof UPLOAD_SDL): GraphQLSchema =>
  buildSubgraphSchema([
    {
      typeDefs: parse(UPLOAD_SDL[name]),
      resolvers:
        name === 'disk'
          ? {
              Query: {
                album: (_: unknown, { id }: { id: string }) => (id === 'none' ? null : { id }),
                size: async (_: unknown, { file }: { file: Given }) => (file ? (await stored('file', file)).bytes : null),
                text: (_: unknown, { value }: { value?: string }) => value,
              },
              Mutation: {
                store: (_: unknown, { file, files = [] }: { file?: Given; files?: readonly Given[] }) =>
                  inOrder([['file', file], ...files.map((each, index) => [`files.${index}`, each] as const)]),
                album: (_: unknown, { album }: { album: { cover?: Given; pages?: readonly Given[] } }) =>
                  inOrder([
                    ['cover', album.cover],
                    ...(album.pages ?? []).map((each, index) => [`pages.${index}`, each] as const),
                  ]),
                note: (_: unknown, { text }: { text?: string }) => text,
              },
            }
          : {
              Query: { looksLike: async (_: unknown, { file }: { file: Given }) => (await stored('file', file)).sha256 },
              AlbumNode: { matches: async (_: unknown, { file }: { file: Given }) => (await stored('file', file)).sha256 },
              Mutation: { portrait: (_: unknown, { file }: { file: Given }) => stored('file', file) },
            },
    },
  ])

/** A supergraph of both, at these URLs. */
export function uploadSupergraph(urls: Readonly<Record<keyof typeof UPLOAD_SDL, string>>): string {
  return composeOnce((['disk', 'media'] as const).map((name) => ({ name, url: urls[name], typeDefs: parse(UPLOAD_SDL[name]) })))
}

/** A subgraph that reads multipart requests by itself, as one with graphql-upload does. */
export type UploadServer = {
  readonly url: string
  /** Heads of requests, with `operations` and `map` of those with files. */
  readonly requests: { readonly headers: IncomingMessage['headers']; operations?: string; map?: string }[]
  /** Requests whose body ended too early. */
  readonly cutShort: () => number
  /** What happens to requests in place of an answer; null: they are answered. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | null
  /** Waits before a multipart request is read. */
  hold: Promise<void> | null
  readonly server: Server
}

export async function serveUploads(name: keyof typeof UPLOAD_SDL): Promise<UploadServer> {
  const schema = uploadSchema(name)
  let cutShort = 0
  const server = createServer(async (request, response) => {
    const seen: UploadServer['requests'][number] = { headers: request.headers }
    served.requests.push(seen)
    request.on('error', () => {})
    request.on('close', () => {
      if (!request.complete) cutShort++
    })
    if (served.instead) return served.instead(request, response)
    const answer = async (operations: string, variablesOf: (variables: object) => object) => {
      const { query, variables = {}, operationName } = JSON.parse(operations)
      // A hash in place of a query (automatic persisted queries).
      if (query === undefined) return response.end('{"errors":[{"message":"PersistedQueryNotSupported"}]}')
      const result = await graphql({ schema, source: query, variableValues: variablesOf(variables) as never, operationName })
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(result))
    }
    if (!request.headers['content-type']?.startsWith('multipart/form-data')) {
      let body = ''
      for await (const chunk of request) body += chunk
      return answer(body, (variables) => variables)
    }
    await served.hold
    const files = new Map<string, PromiseWithResolvers<Received>>()
    const parser = new Busboy({ headers: { ...request.headers, 'content-type': request.headers['content-type'] } })
    parser.on('error', () => {})
    parser.on('field', (field, value) => {
      if (field === 'operations') seen.operations = value
      if (field !== 'map') return
      seen.map = value
      const map: Record<string, string[]> = JSON.parse(value)
      for (const key of Object.keys(map)) files.set(key, Promise.withResolvers())
      void answer(seen.operations ?? '', (variables) => {
        for (const [key, paths] of Object.entries(map)) {
          for (const path of paths) setAt({ variables }, path, files.get(key)?.promise)
        }
        return variables
      })
    })
    parser.on('file', (field, stream, filename, _, mimetype) => {
      stream.on('error', () => {})
      files.get(field)?.resolve({ filename, mimetype, createReadStream: () => stream })
    })
    request.pipe(parser)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const served: UploadServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    requests: [],
    cutShort: () => cutShort,
    instead: null,
    hold: null,
    server,
  }
  return served
}

function setAt(root: object, path: string, value: unknown): void {
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  const parent = keys.reduce<unknown>((each, key) => Reflect.get(each as object, key), root)
  Reflect.set(parent as object, last, value)
}
