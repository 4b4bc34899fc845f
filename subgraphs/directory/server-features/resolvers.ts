import type { ProbeStatus, Resolvers } from '#generated/directory/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { checkPageSize } from '../../toolkit/connection.ts'
import type { Context } from '../context.ts'
import { isEmpty, MAX_PROMPTS, MAX_RESOURCES, MAX_TOOLS, type OfferedFeatures } from '../import/features.ts'
import { cleanText } from '../import/text.ts'
import type { McpServer } from '../item/item.ts'
import { type FeatureFinding, findingsIn, isWithheld, shownName } from './findings.ts'
import { MAX_CHANGES } from './loaders.ts'
import type { ChangeOfItem, FeatureRow } from './repository.ts'
import type { RuleField } from './rules.ts'

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
const shown = (text: string | null, field: RuleField): string | null =>
  isWithheld(text, field) ? null : cleanText(text, MAX_DESCRIPTION_LENGTH)

function described({ description }: { readonly description: string | null }) {
  const isMarked = isWithheld(description, 'description')
  return { description: isMarked ? null : cleanText(description, MAX_DESCRIPTION_LENGTH), isWithheld: isMarked }
}

/** Media type by RFC 6838 §4.2, with parameters. */
const MEDIA_TYPE = /^[\w!#$&^+.-]{1,127}\/[\w!#$&^+.-]{1,127}(?:\s?;[\x20-\x7e]{1,100})?$/

const mediaType = (text: string | null): string | null =>
  text !== null && MEDIA_TYPE.test(text) ? shown(text, 'mimeType') : null

/** Said in place of words of a server that give orders. */
const WITHHELD_REASON = 'The words of the server are withheld: a rule marks them.'

const fieldOf = (change: ChangeOfItem): RuleField => (change.field === 'inputSchema' ? 'inputSchema' : 'arguments')

const findingOf = ({ rule: { name, kind, severity, meaning }, ...found }: FeatureFinding) => ({
  rule: name,
  kind,
  severity,
  meaning,
  ...found,
})

type Part = { readonly first?: number | null; readonly offset?: number | null }

/** A part of a list, each with its place in the whole. */
function partOf<Feature>(list: readonly Feature[], { first, offset }: Part, max: number): (readonly [Feature, number])[] {
  const [size, start] = [checkPageSize('first', first ?? 50, max), offset ?? 0]
  if (start < 0) throw badInput('offset', '0 or more', start)
  return list.slice(start, start + size).map((feature, index) => [feature, start + index] as const)
}

export const serverFeaturesResolvers = {
  ServerFeatures: {
    source: ({ probe }) => (probe?.features ? 'PROBED' : 'STATED'),
    probedAt: ({ probe }) => probe?.answeredAt ?? null,
    serverVersion: ({ probe }) => shown(probe?.serverVersion ?? null, 'name'),
    protocolVersion: ({ probe }) => shown(probe?.protocolVersion ?? null, 'name'),
    lastProbe: ({ probe }) =>
      probe && {
        probedAt: probe.probedAt,
        address: probe.address,
        // Probes write these words.
        status: probe.status as ProbeStatus,
        reason: probe.reason && (shown(probe.reason, 'description') ?? WITHHELD_REASON),
      },
    tools: ({ features }, page) =>
      partOf(features.tools, page, MAX_TOOLS).map(([tool, index]) => ({
        ...tool,
        ...described(tool),
        name: shownName(tool.name, index),
        title: shown(tool.title, 'title'),
        inputSchema: isWithheld(tool.inputSchema, 'inputSchema') ? null : tool.inputSchema,
      })),
    prompts: ({ features }, page) =>
      partOf(features.prompts, page, MAX_PROMPTS).map(([prompt, index]) => ({
        ...described(prompt),
        name: shownName(prompt.name, index),
        arguments: prompt.arguments.map((name) => shownName(name)),
      })),
    resources: ({ features }, page) =>
      partOf(features.resources, page, MAX_RESOURCES).map(([resource, index]) => ({
        ...described(resource),
        uri: shownName(resource.uri, index),
        name: shown(resource.name, 'name'),
        mimeType: mediaType(resource.mimeType),
      })),
    toolCount: ({ features }) => features.tools.length,
    promptCount: ({ features }) => features.prompts.length,
    resourceCount: ({ features }) => features.resources.length,
    isTruncated: ({ features }) => features.isTruncated,
    findings: ({ features }) => findingsIn(features).map(findingOf),
    changes: async ({ itemId }, { first }, { load }) => {
      const size = checkPageSize('first', first ?? 20, MAX_CHANGES)
      const changes = await load.changesByItem.load(itemId)
      return changes.slice(0, size).map((change) => ({
        ...change,
        name: shownName(change.name),
        before: shown(change.before, fieldOf(change)),
        after: shown(change.after, fieldOf(change)),
      }))
    },
  },
} satisfies Resolvers
