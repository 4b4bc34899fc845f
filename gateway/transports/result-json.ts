import type { ExecutionResult } from '../operations/execution-result.ts'

const texts = new WeakMap<ExecutionResult, string>()

/** Serializes a result without line breaks; cached, because subscribers share results. */
export function resultJson(result: ExecutionResult): string {
  const known = texts.get(result)
  if (known !== undefined) return known
  const text = JSON.stringify(result)
  texts.set(result, text)
  return text
}
