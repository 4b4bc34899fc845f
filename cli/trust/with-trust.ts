import type { RefreshedList } from '../../subgraphs/trust/collectors/sources.ts'
import type { TrustParts } from '../../subgraphs/trust/context.ts'

/**
 * Runs `work` on the parts of the trust subgraph; collectors ask what they are told to, and nothing
 * by themselves.
 */
export type WithTrust = <Result>(
  work: (parts: TrustParts & { readonly refreshLists: () => Promise<readonly RefreshedList[]> }) => Promise<Result>,
) => Promise<Result>
