import type { Resolvers } from '#generated/trust/resolvers.ts'

/** The directory knows the items; here they have their sources, which the gateway sends. */
export const directoryItemResolvers = {
  McpServer: {
    trust: ({ repoUrl, docsUrl }, _, { load }) => load.assessmentByUrl.load(repoUrl ?? docsUrl).then(decisionIn),
  },
  Plugin: {
    trust: ({ sourceUrl }, _, { load }) => load.assessmentByUrl.load(sourceUrl).then(decisionIn),
  },
  Skill: {
    trust: ({ repoUrl }, _, { load }) => load.assessmentByUrl.load(repoUrl).then(decisionIn),
  },
} satisfies Resolvers

const decisionIn = <Found>(row: { readonly decision: Found } | null): Found | null => row?.decision ?? null
