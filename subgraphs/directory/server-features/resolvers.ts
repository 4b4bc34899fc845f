import type { ProbeStatus, Resolvers } from '#generated/directory/resolvers.ts'
import { checkPageSize } from '../../toolkit/connection.ts'
import type { Context } from '../context.ts'
import { isEmpty, MAX_PROMPTS, MAX_RESOURCES, MAX_TOOLS, type OfferedFeatures } from '../import/features.ts'
import { cleanText } from '../import/text.ts'
import type { McpServer } from '../item/item.ts'
import { type FeatureFinding, findingsIn, isWithheld } from './findings.ts'
import { MAX_CHANGES } from './loaders.ts'
import type { FeatureRow } from './repository.ts'

/** What the resolvers of `ServerFeatures` read. */
export type FeaturesModel = {
  readonly itemId: string
  readonly features: OfferedFeatures
  readonly probe: FeatureRow['probe']
}

const NOTHING: OfferedFeatures = { tools: [], prompts: [], resources: [], isTruncated: false }
/** Longest shown description, in UTF-16 units: as stored. */
const MAX_DESCRIPTION_LENGTH = 2_000

/** Null where nothing is listed and no probe was tried. */
export async function featuresOfServer({ id }: McpServer, _: unknown, { load }: Context): Promise<FeaturesModel | null> {
  const row = await load.featuresByItem.load(id)
  const features = row?.probe?.features ?? row?.stated ?? NOTHING
  return row === null || (isEmpty(features) && row.probe === null) ? null : { itemId: id, features, probe: row.probe }
}

/** Text of one line without signs that show nothing; null where a severe finding marks it. */
const shown = (text: string | null): string | null => (isWithheld(text) ? null : cleanText(text, MAX_DESCRIPTION_LENGTH))

const described = ({ description }: { readonly description: string | null }) => ({
  description: shown(description),
  isWithheld: isWithheld(description),
})

const findingOf = ({ rule: { name, kind, severity, meaning }, ...found }: FeatureFinding, subject: string) => ({
  rule: name,
  kind,
  severity,
  meaning,
  ...found,
  name: subject,
})

export const serverFeaturesResolvers = {
  ServerFeatures: {
    source: ({ probe }) => (probe?.features ? 'PROBED' : 'STATED'),
    probedAt: ({ probe }) => probe?.answeredAt ?? null,
    serverVersion: ({ probe }) => probe?.serverVersion ?? null,
    protocolVersion: ({ probe }) => probe?.protocolVersion ?? null,
    lastProbe: ({ probe }) =>
      probe && {
        probedAt: probe.probedAt,
        address: probe.address,
        // Probes write these words.
        status: probe.status as ProbeStatus,
        reason: probe.reason,
      },
    tools: ({ features }, { first }) =>
      features.tools.slice(0, checkPageSize('first', first ?? 50, MAX_TOOLS)).map((tool) => ({
        ...tool,
        ...described(tool),
        title: shown(tool.title),
        inputSchema: isWithheld(tool.inputSchema) ? null : tool.inputSchema,
      })),
    prompts: ({ features }, { first }) =>
      features.prompts
        .slice(0, checkPageSize('first', first ?? 50, MAX_PROMPTS))
        .map((prompt) => ({ ...prompt, arguments: [...prompt.arguments], ...described(prompt) })),
    resources: ({ features }, { first }) =>
      features.resources
        .slice(0, checkPageSize('first', first ?? 50, MAX_RESOURCES))
        .map((resource) => ({ ...resource, ...described(resource), name: shown(resource.name) })),
    toolCount: ({ features }) => features.tools.length,
    promptCount: ({ features }) => features.prompts.length,
    resourceCount: ({ features }) => features.resources.length,
    isTruncated: ({ features }) => features.isTruncated,
    findings: ({ features }) => findingsIn(features).map((found) => findingOf(found, found.name)),
    changes: async ({ itemId }, { first }, { load }) => {
      const size = checkPageSize('first', first ?? 20, MAX_CHANGES)
      const changes = await load.changesByItem.load(itemId)
      return changes.slice(0, size).map((change) => ({ ...change, before: shown(change.before), after: shown(change.after) }))
    },
  },
} satisfies Resolvers
