import { readFile, stat } from 'node:fs/promises'
import type { Logger } from 'pino'
import { OperatorError } from '../../../platform/process/operator-error.ts'
import { watchFile } from '../watched-file.ts'
import type { FollowedSupergraph, FollowOptions } from './follow-supergraph.ts'
import { MAX_SUPERGRAPH_BYTES } from './source.ts'

/**
 * Serves the supergraph in a file, and its changes. An invalid one is logged, and the previous one
 * stays. Rejects with an `OperatorError` when the first one cannot be read or served; `subject`
 * names the file in messages.
 */
export async function followFile(
  path: string,
  accept: FollowOptions['accept'],
  log: Logger,
  subject = `The supergraph file ${path}`,
): Promise<FollowedSupergraph> {
  const first = await firstTextOf(path, subject)
  await accept(first)
  return watchFile(path, first, async (sdl) => {
    try {
      if (Buffer.byteLength(sdl) > MAX_SUPERGRAPH_BYTES) throw tooLarge(subject)
      await accept(sdl)
      log.info('the supergraph was replaced')
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      log.error({ file: path, reason: error.message }, 'a new supergraph was refused; the one before stays')
    }
  })
}

async function firstTextOf(path: string, subject: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > MAX_SUPERGRAPH_BYTES) throw tooLarge(subject)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    throw new OperatorError(`${subject} cannot be read: ${line.replace(/\.$/, '')}.`)
  }
}

const tooLarge = (subject: string) => new OperatorError(`${subject}: expected at most ${MAX_SUPERGRAPH_BYTES / 1e6} MB.`)
