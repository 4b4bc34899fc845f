import { createServer } from 'node:http'
import { BY_HAND } from '../shop.ts'

/** An endpoint written by hand that only knows the three operations: what is left when nothing is asked of the server. */
export async function start() {
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { operationName, variables } = JSON.parse(Buffer.concat(chunks).toString())
      const body = JSON.stringify({ data: BY_HAND[operationName.toLowerCase()](variables) })
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      response.end(body)
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server.address().port
}
