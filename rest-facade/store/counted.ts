/** The answer of a count where the graph has a list that is whole. */
export const counted = (list: readonly unknown[]) => ({ count: list.length })
