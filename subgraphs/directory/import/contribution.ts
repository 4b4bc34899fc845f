import type { Ecosystem, EnvVar, Installation, Kind, RegisteredServer, SkillSource, Transport } from '../item/item.ts'
import type { OfferedFeatures } from './features.ts'

/**
 * The readable formats; detected by content, never by file name alone. In order of precedence, for
 * where two sources state the same field: curated by Atrium or its operator, then curated lists,
 * then collected ones. The publisher of an item precedes all of them (`byPrecedence`).
 */
export const FORMATS = [
  'atrium',
  'toolhive',
  'docker',
  'registry',
  'mcpm',
  'toolsdk',
  'mcp-get',
  'tensorblock',
  'readme',
  'marketplace',
  'plugin-manifest',
  'skill',
] as const
export type ContributionFormat = (typeof FORMATS)[number]

/** A file to read, its text already decoded as UTF-8 and bounded in size. */
export type SourceFile = {
  /** "owner/repository", a host name, or "file:/folder" when neither is known. */
  readonly origin: string
  /** Path inside the origin, with `/`. */
  readonly path: string
  readonly text: string
}

/** A skipped record: `line` counts from 1, null for the whole file. */
export type Skip = {
  readonly origin: string
  readonly path: string
  readonly line: number | null
  readonly reason: string
  /** Locator of the record, where its reader knows which one it is. */
  readonly locator?: string
}

type About = {
  /**
   * What makes two contributions the same item, such as `github.com/owner/repo#sub/folder` or
   * `npm:package`; lower case.
   */
  readonly identity: string
  /** The natural key of the record; a collision gets a deterministic suffix when it is stored. */
  readonly key: string
  readonly name: string | null
  readonly description: string | null
  /** As the source spells it; null when it names none. */
  readonly category: string | null
  readonly tags: readonly string[]
  /** null when the source does not know. */
  readonly stars: number | null
  /** SPDX identifier; absent where the source states none, and from records of earlier releases. */
  readonly license?: string
}

/**
 * Fields of one record of one file; null (or absent from a list) means unknown, and another source
 * may fill it in.
 */
export type Statement =
  | (About & {
      readonly kind: 'MCP_SERVER'
      readonly owner: string
      readonly repo: string
      readonly official: boolean | null
      readonly transport: Transport | null
      readonly installCommand: string | null
      /**
       * Every installation, the best first. Absent from records of earlier releases: there
       * `installCommand` is the only one.
       */
      readonly installations?: readonly Installation[]
      /** What the source calls it, folded, where it made the names up: meets a server that has this part. */
      readonly labels?: readonly string[]
      /** True when the publisher of the server states this; absent when that is not known. */
      readonly byPublisher?: true
      readonly envVars: readonly EnvVar[]
      /** Absent from files: a registry verifies the name, a file does not. */
      readonly registered?: RegisteredServer
      /** Absent when the source lists none, and from records of earlier releases. */
      readonly features?: OfferedFeatures
      readonly docsUrl: string | null
      readonly repoUrl: string | null
      readonly deprecated: boolean | null
    })
  | (About & {
      readonly kind: 'PLUGIN'
      readonly marketplaceSlug: string
      readonly slug: string
      readonly ecosystem: Ecosystem
      readonly installCommand: string | null
      readonly sourceUrl: string | null
      /** Its folder inside the origin, empty for the root; null when its files lie elsewhere. */
      readonly folder: string | null
    })
  | (About & {
      readonly kind: 'SKILL'
      readonly slug: string
      readonly source: SkillSource
      readonly docsUrl: string | null
      readonly repoUrl: string | null
    })
  | (About & {
      readonly kind: Exclude<Kind, 'MCP_SERVER' | 'PLUGIN' | 'SKILL'>
      readonly slug: string
      readonly url: string | null
    })

/** A statement with its address: stored as one row of table `contribution`. */
export type Contribution = {
  readonly origin: string
  readonly path: string
  /** Which record of the file, such as `[12]`; empty when the file holds one. */
  readonly locator: string
  readonly format: ContributionFormat
  readonly statement: Statement
}

/**
 * One format. `recognises` looks at the parsed content; `read` turns it into contributions. Pure;
 * never throws on bad input.
 */
export type Reader = {
  readonly format: ContributionFormat
  /** `content` is the parsed JSON or YAML value, or the frontmatter of a Markdown file. */
  readonly recognises: (content: unknown, file: SourceFile) => boolean
  readonly read: (
    content: unknown,
    file: SourceFile,
  ) => { readonly contributions: readonly Contribution[]; readonly skipped: readonly Skip[] }
}
