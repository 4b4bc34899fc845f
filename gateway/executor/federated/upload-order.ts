import type { PlanNode } from '@apollo/query-planner'
import { type FileUpload, filesIn, ownValueOf } from '../../uploads/file-upload.ts'
import { tooLate, usedTwice } from '../../uploads/upload-conflicts.ts'
import type { UploadError } from '../../uploads/upload-error.ts'
import type { OperationConditions } from './conditions.ts'

/**
 * Why the files of a request cannot go to the fetches of a plan: two need one of them, or a fetch
 * needs a file that arrives before those of fetches that run first. Null when they can. Nothing has
 * run then.
 */
export function uploadProblem(
  node: PlanNode,
  variables: Readonly<Record<string, unknown>>,
  conditions: OperationConditions,
): UploadError | null {
  const used = new Set<FileUpload>()
  let problem: UploadError | null = null
  visit(node, -1)
  return problem

  /** Visits what runs after the file at `before` was read; returns the last file that it reads. */
  function visit(each: PlanNode | undefined, before: number): number {
    switch (each?.kind) {
      case 'Fetch': {
        const names = each.variableUsages ?? []
        const files = filesIn(Object.fromEntries(names.map((name) => [name, ownValueOf(variables, name)]))).map(
          ({ file }) => file,
        )
        let last = before
        for (const file of new Set(files)) {
          if (used.has(file)) problem ??= usedTwice(file)
          else if (file.index < before) problem ??= tooLate(file)
          used.add(file)
          last = Math.max(last, file.index)
        }
        return last
      }
      case 'Flatten':
        return visit(each.node, before)
      case 'Sequence':
        return each.nodes.reduce((last, inner) => visit(inner, last), before)
      case 'Parallel':
        return Math.max(before, ...each.nodes.map((inner) => visit(inner, before)))
      case 'Condition':
        return visit(conditions.valueOf(each.condition, variables) === true ? each.ifClause : each.elseClause, before)
      default:
        return before
    }
  }
}
