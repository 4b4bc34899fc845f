import type { GraphQLFormattedError } from 'graphql'
import { ownValue } from '../../platform/collections/lookup-table.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { createVariants, NO_LABELS } from '../executor/override-variants.ts'
import { refusal } from '../operations/errors.ts'
import type { CostReport } from './cost-report.ts'
import type { CoercedVariables } from './cost-terms.ts'
import type { Limits } from './limits.ts'
import type { SubgraphCosts } from './subgraph-costs.ts'

/** Checks the cost that an operation sends to each subgraph, with the active `@override` labels. */
export type CheckSubgraphs = (
  variables: CoercedVariables,
  activeLabels?: ReadonlySet<string>,
) => {
  readonly report: NonNullable<CostReport['subgraphs']>
  /** One error per subgraph whose limit is enforced and exceeded. */
  readonly errors: readonly GraphQLFormattedError[]
}

/** Callbacks for metrics and log. */
export type SubgraphCostObserver = {
  readonly counted: (subgraph: string, points: number) => void
  readonly overLimit: (subgraph: string, points: number, limit: number, mode: 'enforce' | 'measure') => void
}

/** Whether any subgraph has a limit, so that costs per subgraph must be computed. */
export const hasSubgraphLimits = ({ subgraphs, allSubgraphs }: Limits): boolean =>
  subgraphs !== undefined || allSubgraphs !== undefined

/** Throws for limits of an unknown subgraph, which would have no effect. */
export function checkLimitedSubgraphs({ subgraphs = {} }: Limits, names: readonly string[], option: string): void {
  const unknown = Object.keys(subgraphs).find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw new OperatorError(`Expected ${option} to have names of the supergraph (${names.join(', ')}), got "${unknown}".`)
}

/**
 * Compiles the check of one operation. `compile` is called once per set of active labels, on its
 * first request; constant costs are computed once.
 */
export function compileSubgraphCheck(
  limits: Limits,
  compile: (active: ReadonlySet<string>) => SubgraphCosts,
  {
    labels,
    isConstant,
    observer,
  }: { readonly labels: readonly string[]; readonly isConstant: boolean; readonly observer: SubgraphCostObserver },
): CheckSubgraphs {
  const variantOf = createVariants(labels, (active) => ({
    costs: compile(active),
    // The literal alone has the type null.
    constant: null as ReturnType<SubgraphCosts> | null,
  }))
  return (variables, activeLabels = NO_LABELS) => {
    const variant = variantOf(activeLabels)
    const points = variant.constant ?? variant.costs(variables)
    if (isConstant) variant.constant = points
    const errors: GraphQLFormattedError[] = []
    const report = [...points].map(([subgraph, requested]) => {
      const own = ownValue(limits.subgraphs ?? {}, subgraph)
      const all = limits.allSubgraphs
      const limit = (own?.cost ?? all?.cost) || null
      const mode = own?.costMode ?? all?.costMode ?? limits.costMode ?? 'enforce'
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
