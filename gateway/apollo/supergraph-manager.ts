import { parse } from 'graphql'
import type { Logger } from 'pino'
import { createLog } from '../../platform/process/log.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { validateOptions } from '../options/validate-options.ts'
import { followSource } from '../planning/sources/follow-source.ts'
import { type SupergraphSourceOptions, supergraphSourceOptions } from '../planning/sources/source-options.ts'
import { readSupergraph } from '../planning/supergraph.ts'
import type { SupergraphManager } from './gateway-interface.ts'

/**
 * Creates a supergraph manager for `atriumGateway` or Apollo Gateway that polls a source. Throws an
 * `OperatorError` for unknown options.
 */
export function createSupergraphManager(
  given: SupergraphSourceOptions,
  { log = createLog('warn') }: { readonly log?: Logger } = {},
): SupergraphManager {
  const options = validateOptions(supergraphSourceOptions, given)
  return {
    async initialize({ update }) {
      let first: string | null = null
      const accept = async (sdl: string): Promise<void> => {
        if (first === null) {
          assertSupergraph(sdl)
          first = sdl
          return
        }
        try {
          update(sdl)
        } catch (error) {
          throw new OperatorError(error instanceof Error ? error.message : String(error), { cause: error })
        }
      }
      const followed = await followSource(options, accept, log)
      return { supergraphSdl: first ?? '', cleanup: followed.close }
    },
  }
}

/**
 * Validates the first supergraph at once: the gateway validates it only after the last good file
 * can no longer replace it.
 */
function assertSupergraph(sdl: string): void {
  try {
    readSupergraph(parse(sdl, { noLocation: true }))
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    throw new OperatorError(`Expected the SDL of a federation 2 supergraph: ${line.replace(/\.$/, '')}.`, { cause: error })
  }
}
