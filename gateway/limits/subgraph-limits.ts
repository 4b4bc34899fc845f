import type { GraphQLFormattedError } from 'graphql'
import { ownValue } from '../../platform/collections/lookup-table.ts'
import { refusal } from '../operations/errors.ts'
import type { CostReport } from './cost-report.ts'
import type { CoercedVariables } from './cost-terms.ts'
import type { Limits } from './limits.ts'
import type { SubgraphCosts } from './subgraph-costs.ts'

/** Checks what an operation sends to each subgraph. */
export type CheckSubgraphs = (variables: CoercedVariables) => {
  readonly report: NonNullable<CostReport['subgraphs']>
  /** One for each subgraph whose limit is enforced and exceeded. */
  readonly errors: readonly GraphQLFormattedError[]
}

/** What is told about subgraphs, for metrics and the log. */
export type SubgraphCostObserver = {
  readonly counted: (subgraph: string, points: number) => void
  readonly overLimit: (subgraph: string, points: number, limit: number, mode: 'enforce' | 'measure') => void
}

/** Whether any subgraph has a limit, so that costs of subgraphs are counted at all. */
export const hasSubgraphLimits = ({ subgraphs, allSubgraphs }: Limits): boolean =>
  subgraphs !== undefined || allSubgraphs !== undefined

/**
 * Compiles the check of one operation. `compile` is called once, with the first request; what needs
 * no variables is counted once.
 */
export function compileSubgraphCheck(
  limits: Limits,
  compile: () => SubgraphCosts,
  { isConstant, observer }: { readonly isConstant: boolean; readonly observer: SubgraphCostObserver },
): CheckSubgraphs {
  let costs: SubgraphCosts | null = null
  let constant: ReturnType<SubgraphCosts> | null = null
  return (variables) => {
    costs ??= compile()
    const points = constant ?? costs(variables)
    if (isConstant) constant = points
    const errors: GraphQLFormattedError[] = []
    const report = [...points].map(([subgraph, requested]) => {
      const own = ownValue(limits.subgraphs ?? {}, subgraph) ?? limits.allSubgraphs ?? {}
      const limit = own.cost || null
      const mode = own.costMode ?? limits.costMode ?? 'enforce'
      observer.counted(subgraph, requested)
      if (limit !== null && requested > limit) {
        observer.overLimit(subgraph, requested, limit, mode)
        if (mode === 'enforce') errors.push(subgraphRefusal(subgraph, requested, limit))
      }
      return [subgraph, { requested, limit }] as const
    })
    return { report: Object.fromEntries(report), errors }
  }
}

const subgraphRefusal = (subgraph: string, cost: number, limit: number): GraphQLFormattedError =>
  refusal(
    'SUBGRAPH_COST_LIMIT_EXCEEDED',
    `Expected a cost of at most ${limit} for subgraph ${subgraph}, got ${cost}: ask for shorter pages or fewer fields of it.`,
    { subgraph, cost, limit },
  )
