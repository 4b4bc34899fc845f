import type { FetchNode, FlattenNode, PlanNode } from '@apollo/query-planner'

/** Fetches that begin branches of a Parallel node, of one subgraph, so that they are ready together. */
export type MergeGroup = {
  readonly heads: readonly { readonly flatten: FlattenNode; readonly fetch: FetchNode }[]
  /** What follows them in their branches. */
  readonly rests: readonly PlanNode[]
}

/** Keys of a fetch that may be merged. */
export type MergeKeys = {
  /** Equal for fetches that one request may have. */
  readonly group: string
  /** Equal for those whose entities fit into one list. */
  readonly list: string
}

/** Different selections of one request, which bounds the length of its text. */
const MAX_LISTS = 10

/** Groups of two or more fetches of the branches, and the branches of no group. */
export function mergeGroupsOf(
  nodes: readonly PlanNode[],
  keysOf: (fetch: FetchNode) => MergeKeys | null,
): { readonly groups: readonly MergeGroup[]; readonly others: readonly PlanNode[] } {
  const byGroup = new Map<string, { readonly lists: Set<string>; readonly branches: Branch[] }[]>()
  const others: PlanNode[] = []
  for (const node of nodes.flatMap(branchesOf)) {
    const branch = branchOf(node)
    const keys = branch && keysOf(branch.fetch)
    if (!branch || !keys) {
      others.push(node)
      continue
    }
    const requests = byGroup.get(keys.group) ?? []
    byGroup.set(keys.group, requests)
    const request = requests.find(({ lists }) => lists.has(keys.list) || lists.size < MAX_LISTS)
    if (request) {
      request.lists.add(keys.list)
      request.branches.push(branch)
    } else requests.push({ lists: new Set([keys.list]), branches: [branch] })
  }
  const groups: MergeGroup[] = []
  for (const { branches } of [...byGroup.values()].flat()) {
    if (branches.length === 1) others.push(...branches.map(({ node }) => node))
    else groups.push({ heads: branches, rests: branches.flatMap(({ rest }) => rest) })
  }
  return { groups, others }
}

type Branch = {
  readonly node: PlanNode
  readonly flatten: FlattenNode
  readonly fetch: FetchNode
  readonly rest: readonly PlanNode[]
}

/** The fetch that a branch begins with; null when it begins with another node. */
function branchOf(node: PlanNode): Branch | null {
  const [first, ...rest] = node.kind === 'Sequence' ? node.nodes : [node]
  if (first?.kind !== 'Flatten' || first.node.kind !== 'Fetch') return null
  return { node, flatten: first, fetch: first.node, rest: rest.length === 0 ? [] : [{ kind: 'Sequence', nodes: rest }] }
}

const branchesOf = (node: PlanNode): readonly PlanNode[] => (node.kind === 'Parallel' ? node.nodes.flatMap(branchesOf) : [node])
