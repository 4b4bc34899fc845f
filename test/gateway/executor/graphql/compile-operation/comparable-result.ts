import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql'
import { execute } from 'graphql'
import type { CompiledOperation } from '../../../../../gateway/executor/graphql/compile-operation.ts'

/** What a run is given. */
export type Given = {
  readonly rootValue?: unknown
  readonly contextValue?: unknown
  readonly variableValues?: Readonly<Record<string, unknown>>
}

/** All that a caller can see of a result, as text: the order of keys and errors included. */
export function visible(result: ExecutionResult): string {
  const errors = result.errors?.map((error) => ({
    class: error.constructor.name,
    formatted: error.toJSON?.(),
    original: error.originalError && `${error.originalError.name}: ${error.originalError.message}`,
    nodes: error.nodes?.length,
  }))
  return JSON.stringify({ keys: Object.keys(result), errors, data: result.data }, undefined, 1)
}

/** An answer, whether it was there at once, and whether it changed after it was given. */
async function answered(run: () => ExecutionResult | Promise<ExecutionResult>): Promise<string> {
  try {
    const result = run()
    const kind = result instanceof Promise ? 'later' : 'at once'
    const awaited = await result
    const now = visible(awaited)
    await nextTick()
    return visible(awaited) === now ? `${kind} ${now}` : `${kind} ${now}\nand in the end ${visible(awaited)}`
  } catch (error) {
    return `thrown ${error}`
  }
}

/** Until every microtask has run. */
export const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** What graphql-js answers. */
export const expected = (schema: GraphQLSchema, document: DocumentNode, operationName: string | undefined, given: Given) =>
  answered(() => execute({ schema, document, operationName, ...given }))

/** What the compiled operation answers. */
export const actual = (run: CompiledOperation, { rootValue, contextValue, variableValues = {} }: Given) =>
  answered(() => run({ rootValue, contextValue, variableValues }))
