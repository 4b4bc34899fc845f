import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { JSON_TYPE } from '../http/content-coding.ts'
import type { TextRoute } from '../http/facade.ts'

/** The contract and the guide for agents, with the address at which this copy is served. */
export function directoryTexts(publicUrl: string): readonly TextRoute[] {
  const contract: { servers: { url: string }[] } = JSON.parse(readFileSync(join(import.meta.dirname, 'openapi.json'), 'utf8'))
  const guide = readFileSync(join(import.meta.dirname, 'llms.txt'), 'utf8')
  return [
    {
      operationId: 'getOpenApi',
      path: '/api/openapi.json',
      contentType: JSON_TYPE,
      text: JSON.stringify({ ...contract, servers: contract.servers.map((server) => ({ ...server, url: publicUrl })) }, null, 2),
    },
    {
      operationId: 'getGuide',
      path: '/llms.txt',
      contentType: 'text/plain; charset=utf-8',
      text: guide.replaceAll('{publicUrl}', () => publicUrl),
    },
  ]
}
