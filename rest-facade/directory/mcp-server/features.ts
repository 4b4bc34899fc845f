import type { GetMcpServerFeaturesQuery } from '#generated/operations.ts'

type Features = NonNullable<NonNullable<GetMcpServerFeaturesQuery['mcpServer']>['features']>

/** As JSON has them: words in lower case, and schemas as objects. Empty where nothing is known. */
export const featuresBody = (features: Features | null) =>
  features === null
    ? { source: null, probedAt: null, serverVersion: null, protocolVersion: null, isTruncated: false, ...NO_LISTS }
    : {
        ...features,
        source: features.source.toLowerCase(),
        tools: features.tools.map(({ inputSchema, ...tool }) => ({ ...tool, inputSchema: objectOf(inputSchema) })),
        findings: features.findings.map(({ kind, severity, feature, ...rest }) => ({
          ...rest,
          kind: kind.toLowerCase(),
          severity: severity.toLowerCase(),
          feature: feature.toLowerCase(),
        })),
        changes: features.changes.map(({ change, feature, ...rest }) => ({
          ...rest,
          change: change.toLowerCase(),
          feature: feature.toLowerCase(),
        })),
      }

const NO_LISTS = { tools: [], prompts: [], resources: [], findings: [], changes: [] }

/** The graph made the text of an object. */
const objectOf = (json: string | null): unknown => (json === null ? null : JSON.parse(json))
