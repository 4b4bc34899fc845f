import type { QueryPlanSelectionNode } from '@apollo/query-planner'
import type { FieldVariant } from './requires-arguments.ts'

/** Whether an object type satisfies both type conditions. */
export type TypesOverlap = (one: string, other: string) => boolean

/** A field in a fetch's `requires`, or in a field set. */
export type RequiredField = {
  /** Path from the entity, in field names of the requiring subgraph. */
  readonly path: string
  /** Response key under which it is fetched. */
  readonly key: string
  /** Enclosing type conditions, per level of the path. */
  readonly conditions: readonly (readonly string[])[]
}

/** Fields of a selection, nested ones included. */
export function requiredFields(
  selections: readonly QueryPlanSelectionNode[],
  variants: ReadonlyMap<string, FieldVariant>,
): readonly RequiredField[] {
  return fieldsBelow(selections, '', [], [])

  function fieldsBelow(
    selections: readonly QueryPlanSelectionNode[],
    path: string,
    above: RequiredField['conditions'],
    level: readonly string[],
  ): readonly RequiredField[] {
    return selections.flatMap((selection) => {
      if (selection.kind === 'InlineFragment') {
        const { typeCondition } = selection
        return fieldsBelow(selection.selections, path, above, typeCondition === undefined ? level : [...level, typeCondition])
      }
      const key = selection.alias ?? selection.name
      const conditions = [...above, level]
      const own = { path: `${path}.${variants.get(key)?.name ?? selection.name}`, key, conditions }
      return [own, ...fieldsBelow(selection.selections ?? [], own.path, conditions, [])]
    })
  }
}

/**
 * Path of a field that both lists need under different response keys for one object; null for none.
 */
export function conflictBetween(
  fields: readonly RequiredField[],
  others: readonly RequiredField[],
  overlap: TypesOverlap,
): string | null {
  const found = fields.find((field) =>
    others.some(({ path, key, conditions }) => path === field.path && key !== field.key && mayMeet(field.conditions, conditions)),
  )
  return found ? found.path.slice(1) : null

  function mayMeet(one: RequiredField['conditions'], other: RequiredField['conditions']): boolean {
    return one.every((level, depth) => level.every((type) => (other[depth] ?? []).every((another) => overlap(type, another))))
  }
}
