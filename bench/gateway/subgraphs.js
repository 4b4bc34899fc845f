import { createServer } from 'node:http'
import { execute, parse } from 'graphql'
import { subgraphSchemas } from './schemas.ts'
import { SUBGRAPHS } from './shop.ts'

/** Serves each subgraph at a port of its own. Documents are parsed once; what this process does is not measured. */
export async function start() {
  const ports = {}
  for (const [name, schema] of Object.entries(subgraphSchemas())) {
    const documents = new Map()
    const server = createServer((request, response) => {
      const chunks = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', async () => {
        const { query, variables, operationName } = JSON.parse(Buffer.concat(chunks).toString())
        // Mercurius wants to read `extend`, which the schema no longer says.
        if (query.includes('_service')) {
          const sdl = SUBGRAPHS.find((subgraph) => subgraph.name === name).types
          response.end(JSON.stringify({ data: { _service: { sdl } } }))
          return
        }
        if (!documents.has(query)) documents.set(query, parse(query, { noLocation: true }))
        const answer = await execute({ schema, document: documents.get(query), variableValues: variables, operationName })
        const body = JSON.stringify(answer)
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
        response.end(body)
      })
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    ports[name] = server.address().port
  }
  return ports
}
