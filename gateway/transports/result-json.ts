import type { ExecutionResult } from '../operations/execution-result.ts'

const texts = new WeakMap<ExecutionResult, string>()

/** An outcome as JSON without line breaks, written once however many clients are told of it. */
export function resultJson(result: ExecutionResult): string {
  const known = texts.get(result)
  if (known !== undefined) return known
  const text = JSON.stringify(result)
  texts.set(result, text)
  return text
}
