import { type Data, isData, type TypeTest, typeNameIn } from './response-data.ts'

const PARENT = '..'
const ON_TYPE = '... on '

/** Reads the value of a context (`@context`); undefined when no object has it. */
export type ReadContext = (ancestors: readonly Data[]) => unknown

/**
 * Compiles the planner's path of a context: `..` for each enclosing object, then response keys, and
 * `... on Type` for type conditions. For a list the value is a list.
 */
export function compileContextPath(path: readonly string[], isOf: TypeTest): ReadContext {
  const steps = path.filter((step) => step !== PARENT)
  const up = path.length - steps.length
  return (ancestors) => read(ancestors[ancestors.length - 1 - up], 0)

  function read(value: unknown, at: number): unknown {
    const step = steps[at]
    if (step === undefined) return value
    if (Array.isArray(value)) return value.map((item) => read(item, at) ?? null)
    // A context below null is null.
    if (!isData(value)) return value === null ? null : undefined
    if (!step.startsWith(ON_TYPE)) return read(value[step], at + 1)
    return isOf(typeNameIn(value), step.slice(ON_TYPE.length)) ? read(value, at + 1) : undefined
  }
}
