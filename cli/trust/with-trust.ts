import type { RefreshedList } from '../../subgraphs/trust/collectors/list-refresh.ts'
import type { TrustParts } from '../../subgraphs/trust/context.ts'

/** What commands work with. */
export type TrustWork = TrustParts & {
  readonly refreshLists: () => Promise<readonly RefreshedList[]>
  readonly runJobs: () => Promise<void>
}

/**
 * Runs `work` with the parts of the trust subgraph; collectors run on demand only, not in the
 * background.
 */
export type WithTrust = <Result>(work: (parts: TrustWork) => Promise<Result>) => Promise<Result>
