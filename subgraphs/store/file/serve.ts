import { join } from 'node:path'
import send from '@fastify/send'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FileKey, FOREVER, isFileKey, isPrivate } from './file.ts'
import type { LocalStorage } from './local-storage.ts'
import { permissionIn } from './signature.ts'

/** GET and HEAD of `/files/…`: public files, and private ones by a signed URL. */
export function serveFiles(app: FastifyInstance, { folder, secret }: LocalStorage, now = () => new Date()): void {
  app.get('/files/*', async (request, reply) => {
    const [path = '', query = ''] = (request.raw.url ?? '').split('?', 2)
    const key = path.slice('/files/'.length)
    if (!isFileKey(key)) throw refusal(404, 'There is no such file.')
    // Pictures may be embedded anywhere; stored files never run as pages of ours.
    reply.header('content-security-policy', "default-src 'none'; sandbox").header('cross-origin-resource-policy', 'cross-origin')
    if (isPrivate(key)) {
      const permission = permissionIn(key, new URLSearchParams(query), { secret, now: now().getTime() })
      if (permission === 'expired') throw refusal(403, 'Expected a URL that has not expired: ask for a new one.')
      if (!permission) throw refusal(403, 'Expected a URL with a valid signature.')
      reply.header('cache-control', 'private, no-store').header('content-disposition', contentDisposition(permission.name))
    } else {
      reply.header('cache-control', FOREVER)
    }
    return answer(request, reply, { key, folder })
  })
}

async function answer({ raw }: FastifyRequest, reply: FastifyReply, { key, folder }: { key: FileKey; folder: string }) {
  // Ranges, conditions and validators are the library's; the folder of the key is safe, so is the
  // key.
  const { statusCode, headers, stream, type } = await send(raw, join('/', key), {
    root: folder,
    cacheControl: false,
    index: false,
  })
  if (type === 'file') return reply.code(statusCode).headers(headers).send(stream)
  stream.destroy()
  const { 'Content-Range': range } = headers
  if (statusCode === 416 && range) reply.header('content-range', range)
  throw refusal(statusCode, REFUSALS[statusCode] ?? 'There is no such file.')
}

const REFUSALS: Readonly<Record<number, string>> = {
  412: 'The file does not meet the conditions of the request.',
  416: 'Expected a range within the file.',
}

const refusal = (statusCode: number, message: string): Error => Object.assign(new Error(message), { statusCode })
