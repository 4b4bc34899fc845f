import { OperatorError } from '../platform/process/operator-error.ts'
import type { ApolloEngine, ApolloEngineOptions } from './apollo-engine.ts'

/** Throws in production: `ENGINE=apollo` exists for comparison only. */
export function refuseInProduction(environment: string | undefined): void {
  if (environment !== 'production') return
  throw new OperatorError(
    'ENGINE=apollo is refused in production: it is for comparison, and has no subscriptions, authorization in the gateway, timeouts and bounds of size. Unset ENGINE, or NODE_ENV.',
  )
}

/** Starts Apollo Server; imported on demand, because its packages are development dependencies. */
export async function startReferenceEngine(options: ApolloEngineOptions): Promise<ApolloEngine> {
  const { startApolloEngine } = await import('./apollo-engine.ts').catch((cause: unknown) => {
    throw new OperatorError('ENGINE=apollo needs the development dependencies: run npm ci without --omit=dev.', { cause })
  })
  return startApolloEngine(options)
}
