import type { Resolvers } from '#generated/directory/resolvers.ts'

export const statsResolvers = {
  Query: {
    directoryStats: (_, __, { catalogue: { list, counts, revision } }) => ({
      tools: list('MCP_SERVER').length,
      plugins: list('PLUGIN').length,
      skills: list('SKILL').length,
      personas: counts.PERSONA,
      bundles: counts.BUNDLE,
      agents: counts.AGENT,
      guides: counts.GUIDE,
      // Numbers of two databases may agree by chance; with the beginning of a random id they do
      // not.
      revision: `${revision.dataset.slice(0, 8)}.${revision.number}`,
      changedAt: revision.changedAt,
    }),
  },
} satisfies Resolvers
