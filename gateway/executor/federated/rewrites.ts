import type { FetchDataRewrite } from '@apollo/query-planner'
import { type Data, isData, type TypeTest, typeNameIn } from './response-data.ts'

/** Changes an answer or a representation in place. */
export type Rewrite = (value: unknown) => void

const ON_TYPE = '... on '

/**
 * Compiles the planner's rewrites: it asks for a field by another name where types of a union disagree about one, and sets the type that a subgraph knows an
 * interface object by.
 */
export function compileRewrites(rewrites: readonly FetchDataRewrite[] | undefined, isOf: TypeTest): Rewrite | null {
  if (!rewrites || rewrites.length === 0) return null
  const all = rewrites.map((rewrite) => compileRewrite(rewrite, isOf))
  return (value) => {
    for (const rewrite of all) rewrite(value)
  }
}

function compileRewrite(rewrite: FetchDataRewrite, isOf: TypeTest): Rewrite {
  const way = rewrite.path.slice(0, -1)
  const key = rewrite.path.at(-1) ?? ''
  const change =
    rewrite.kind === 'ValueSetter'
      ? (object: Data) => {
          object[key] = rewrite.setValueTo
        }
      : (object: Data) => {
          // Also 0, false and null are values.
          if (object[key] === undefined) return
          object[rewrite.renameKeyTo] = joined(object[rewrite.renameKeyTo], object[key])
          delete object[key]
        }
  return (value) => apply(value, 0)

  function apply(value: unknown, at: number): void {
    if (Array.isArray(value)) {
      for (const item of value) apply(item, at)
      return
    }
    if (!isData(value)) return
    const element = way[at]
    if (element === undefined) change(value)
    else if (!element.startsWith(ON_TYPE)) apply(value[element], at + 1)
    else if (value.__typename === undefined || isOf(typeNameIn(value), element.slice(ON_TYPE.length))) apply(value, at + 1)
  }
}

/** Two parts of one value: a field that is asked for in several fragments has another name in each. */
function joined(known: unknown, part: unknown): unknown {
  if (Array.isArray(known) && Array.isArray(part)) return part.map((item, index) => joined(known[index], item))
  if (!isData(known) || !isData(part)) return part
  for (const key of Object.keys(part)) known[key] = joined(known[key], part[key])
  return known
}

/** The names that an answer's keys get, by those that the subgraph was asked for: errors speak of the latter. */
export const renamedKeys = (rewrites: readonly FetchDataRewrite[] | undefined): ReadonlyMap<string, string> =>
  new Map(
    (rewrites ?? []).flatMap((rewrite) =>
      rewrite.kind === 'KeyRenamer' ? [[rewrite.path.at(-1) ?? '', rewrite.renameKeyTo] as const] : [],
    ),
  )
