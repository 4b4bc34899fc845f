import type { ExecutionResult } from '../operations/execution-result.ts'

const texts = new WeakMap<ExecutionResult, string>()

/** A result as JSON without line breaks, serialized once for all its subscribers. */
export function resultJson(result: ExecutionResult): string {
  const known = texts.get(result)
  if (known !== undefined) return known
  const text = JSON.stringify(result)
  texts.set(result, text)
  return text
}
