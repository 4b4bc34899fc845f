import type { FetchNode, PlanNode } from '@apollo/query-planner'
import { type DocumentNode, parse } from 'graphql'
import { type PathSegment, parseFlattenPath } from './flatten-path.ts'
import { type SelectedFields, selectedBelow, selectedFields } from './merge.ts'
import { renamedKeys } from './rewrites.ts'

/** A fetch of a plan. */
export type PlannedFetch = {
  readonly node: FetchNode
  readonly document: DocumentNode
  /** Fields selected for each object: the root, or each entity. */
  readonly selected: SelectedFields
  /** Flatten path from the root to its objects. */
  readonly path: readonly PathSegment[]
}

/** The root field of an entity fetch. */
export const ENTITIES = '_entities'

/** All fetches of a plan node. */
export function fetchesIn(node: PlanNode, path: readonly PathSegment[] = []): readonly PlannedFetch[] {
  switch (node.kind) {
    case 'Fetch': {
      const document = parse(node.operation, { noLocation: true })
      const selected = selectedFields(document, renamedKeys(node.outputRewrites))
      return [{ node, document, selected: node.requires ? (selectedBelow(selected, ENTITIES) ?? []) : selected, path }]
    }
    case 'Flatten':
      return fetchesIn(node.node, [...path, ...parseFlattenPath(node.path)])
    case 'Sequence':
    case 'Parallel':
      return node.nodes.flatMap((each) => fetchesIn(each, path))
    case 'Condition':
      return [node.ifClause, node.elseClause].flatMap((each) => (each ? fetchesIn(each, path) : []))
    case 'Defer':
      return [node.primary, ...node.deferred].flatMap((each) => (each.node ? fetchesIn(each.node, path) : []))
  }
}

/** A flatten path as text: keys joined by dots, `@` for list items. */
export const pathText = (path: readonly PathSegment[]): string => path.map(({ key }) => key ?? '@').join('.')

/** Drops the operation name, because the planner numbers fetches (`Name__1`). */
export const anonymousText = (operation: string): string => operation.replace(/^query \w+/, 'query')
