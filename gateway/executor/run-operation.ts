import type { ExecutionResult } from '../operations/execution-result.ts'
import type { RequestContext } from '../subgraph-client/link.ts'

/** Runs one planned operation; reusable for every request. Never rejects. */
export type RunOperation = (variables: Readonly<Record<string, unknown>>, context: RequestContext) => Promise<ExecutionResult>
