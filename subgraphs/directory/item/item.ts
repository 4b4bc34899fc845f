/**
 * Every kind of record that can be imported; the first three are the datasets that can be searched.
 */
export const KINDS = ['MCP_SERVER', 'PLUGIN', 'SKILL', 'PERSONA', 'BUNDLE', 'AGENT', 'GUIDE'] as const
export type Kind = (typeof KINDS)[number]

/** The datasets of the directory: the GraphQL enum DirectoryKind. */
export type DirectoryKind = 'MCP_SERVER' | 'PLUGIN' | 'SKILL'

export const TRANSPORTS = ['stdio', 'streamable-http', 'sse', 'unknown'] as const
export type Transport = (typeof TRANSPORTS)[number]

/** In order of preference: a plugin listed for several gets the first as its `ecosystem`. */
export const ECOSYSTEMS = ['claude-code', 'codex', 'cursor', 'copilot', 'kimi', 'grok'] as const
export type Ecosystem = (typeof ECOSYSTEMS)[number]

export const SKILL_SOURCES = ['BUILT_IN', 'OPTIONAL', 'COMMUNITY', 'PLUGIN', 'MCP'] as const
export type SkillSource = (typeof SKILL_SOURCES)[number]

/** The category of an item for which neither a source nor a rule names one. */
export const UNCATEGORIZED = 'Uncategorized'

export type EnvVar = {
  readonly name: string
  readonly required: boolean
  readonly secret: boolean
  readonly description: string | null
}

/** One line that runs or adds a server, and the transport that the server speaks then. */
export type Installation = { readonly command: string; readonly transport: Transport }

/** Name and version in a registry that verifies who may use a name space. */
export type RegisteredServer = { readonly name: string; readonly version: string | null }

export type McpServerDetail = {
  readonly owner: string
  readonly repo: string
  readonly official: boolean
  readonly transport: Transport
  readonly installCommand: string
  /** Recommended first; `installCommand` is the first's, or a fallback when there is none. */
  readonly installations: readonly Installation[]
  readonly envVars: readonly EnvVar[]
  readonly docsUrl: string
  readonly repoUrl: string | null
  readonly deprecated: boolean
  /** Downloads of its own packages from npm in 30 days, by their first digit; absent when unknown. */
  readonly monthlyDownloads?: number
  /** As a registry's API lists it; absent where none does. */
  readonly registered?: RegisteredServer
  /** Names of its tools, sorted; absent when no source and no probe lists any. */
  readonly toolNames?: readonly string[]
}

export type PluginDetail = {
  readonly marketplaceSlug: string
  readonly slug: string
  readonly ecosystem: Ecosystem
  readonly ecosystems: readonly Ecosystem[]
  readonly installCommand: string
  readonly sourceUrl: string
}

export type SkillDetail = {
  readonly slug: string
  readonly source: SkillSource
  readonly docsUrl: string
  readonly repoUrl: string
}

/** A persona, bundle, agent or guide: counted by `directoryStats`, not searched. */
export type EntryDetail = { readonly slug: string; readonly url: string }

/** Where one field's value came from; `path` null when it was derived here. */
export type Provenance = { readonly field: string; readonly source: string; readonly path: string | null }

type Common = {
  /** Row id; the GraphQL id is opaque and made from kind and this. */
  readonly id: string
  /**
   * Natural key: `owner/repo`, `marketplace/slug` or `slug`. Original case, compared without case.
   */
  readonly key: string
  readonly name: string
  readonly description: string
  readonly category: string
  /** As the source spelled it; null when no source named one. */
  readonly originalCategory: string | null
  readonly tags: readonly string[]
  /** Stars of the repository, 0 when unknown. */
  readonly popularity: number
  /** SPDX identifier; null when none is known. */
  readonly license: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type McpServer = Common & McpServerDetail & { readonly kind: 'MCP_SERVER' }
export type Plugin = Common & PluginDetail & { readonly kind: 'PLUGIN' }
export type Skill = Common & SkillDetail & { readonly kind: 'SKILL' }

/**
 * A searchable item as the rest of the subgraph sees it; `item` rows are turned into it by
 * repository.ts.
 */
export type Item = McpServer | Plugin | Skill

/** The items of one kind. */
export type ItemOf<Kind extends DirectoryKind> = Extract<Item, { readonly kind: Kind }>
