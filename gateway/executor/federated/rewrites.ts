import type { FetchDataRewrite } from '@apollo/query-planner'
import { type Data, isData, type TypeTest, typeNameIn } from './response-data.ts'

/** Changes a response or a representation in place. */
export type Rewrite = (value: unknown) => void

const ON_TYPE = '... on '

/**
 * Compiles the planner's rewrites. KeyRenamer: renames aliases of fields that union members declare
 * with different types. ValueSetter: sets the type name that a subgraph uses for an interface
 * object.
 */
export function compileRewrites(rewrites: readonly FetchDataRewrite[] | undefined, isOf: TypeTest): Rewrite | null {
  if (!rewrites || rewrites.length === 0) return null
  const all = rewrites.map((rewrite) => compileRewrite(rewrite, isOf))
  return (value) => {
    for (const rewrite of all) rewrite(value)
  }
}

function compileRewrite(rewrite: FetchDataRewrite, isOf: TypeTest): Rewrite {
  const path = rewrite.path.slice(0, -1)
  const key = rewrite.path.at(-1) ?? ''
  const change =
    rewrite.kind === 'ValueSetter'
      ? (object: Data) => {
          object[key] = rewrite.setValueTo
        }
      : (object: Data) => {
          // Only undefined means absent; 0, false and null are values.
          if (object[key] === undefined) return
          object[rewrite.renameKeyTo] = mergeParts(object[rewrite.renameKeyTo], object[key])
          delete object[key]
        }
  return (value) => apply(value, 0)

  function apply(value: unknown, at: number): void {
    if (Array.isArray(value)) {
      for (const item of value) apply(item, at)
      return
    }
    if (!isData(value)) return
    const element = path[at]
    if (element === undefined) change(value)
    else if (!element.startsWith(ON_TYPE)) apply(value[element], at + 1)
    else if (value.__typename === undefined || isOf(typeNameIn(value), element.slice(ON_TYPE.length))) apply(value, at + 1)
  }
}

/** Merges two parts of a value, which was selected under an alias in each of several fragments. */
function mergeParts(existing: unknown, part: unknown): unknown {
  if (Array.isArray(existing) && Array.isArray(part)) return part.map((item, index) => mergeParts(existing[index], item))
  if (!isData(existing) || !isData(part)) return part
  for (const key of Object.keys(part)) existing[key] = mergeParts(existing[key], part[key])
  return existing
}

/** New response keys by the keys in the fetch's document, which error paths use. */
export const renamedKeys = (rewrites: readonly FetchDataRewrite[] | undefined): ReadonlyMap<string, string> =>
  new Map(
    (rewrites ?? []).flatMap((rewrite) =>
      rewrite.kind === 'KeyRenamer' ? [[rewrite.path.at(-1) ?? '', rewrite.renameKeyTo] as const] : [],
    ),
  )
