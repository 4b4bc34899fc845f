import type { RefreshedList } from '../../subgraphs/trust/collectors/sources.ts'
import type { TrustParts } from '../../subgraphs/trust/context.ts'

/**
 * Runs `work` with the parts of the trust subgraph; collectors run on demand only, not in the
 * background.
 */
export type WithTrust = <Result>(
  work: (parts: TrustParts & { readonly refreshLists: () => Promise<readonly RefreshedList[]> }) => Promise<Result>,
) => Promise<Result>
