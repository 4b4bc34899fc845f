// Written by npm run db:generate from prisma/directory: do not edit.
import type { ColumnType, GeneratedAlways } from 'kysely'
export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>
export type Timestamp = ColumnType<Date, Date | string, Date | string>

export type Contribution = {
  /**
   * Owner of the file: "owner/repository", a host name, or "file:/folder" when neither is known.
   */
  origin: string
  /**
   * Path of the file inside the origin.
   */
  path: string
  /**
   * Position of the record in the file, such as "[12]" or a name; empty when the file holds one
   * record.
   */
  locator: string
  /**
   * Name of the import format that read it.
   */
  format: string
  kind: string
  /**
   * The record as the reader of its format made it: type Contribution of
   * subgraphs/directory/import.
   */
  record: unknown
  /**
   * Folder or URL that the import was started with: importing one root again must not remove
   * records of another. Of a source, its address.
   */
  root: string
}
export type FeatureChange = {
  id: GeneratedAlways<string>
  item_id: string
  /**
   * Time of the probe that saw it.
   */
  seen_at: Date
  /**
   * FeatureChangeKind of the SDL.
   */
  change: string
  /**
   * FeatureKind of the SDL.
   */
  feature: string
  /**
   * Name of the tool or prompt, or URI of the resource.
   */
  name: string
  /**
   * Field that differs; null unless CHANGED.
   */
  field: string | null
  /**
   * Its text before and after, at most 1,000 characters; null: there was none.
   */
  before: string | null
  after: string | null
}
export type FeatureProbe = {
  item_id: string
  /**
   * Time of the last attempt.
   */
  probed_at: Date
  /**
   * Address of the server.
   */
  address: string
  /**
   * ProbeStatus of the SDL.
   */
  status: string
  /**
   * Why there is no answer, in one sentence; null when there is one.
   */
  reason: string | null
  /**
   * Time before which the server wants no other attempt; null: none was named.
   */
  retry_at: Date | null
  /**
   * Time of the last attempt with an answer; null: there was none yet. The columns below are of it.
   */
  answered_at: Date | null
  /**
   * As the server stated it; null: it stated none.
   */
  server_version: string | null
  protocol_version: string | null
  /**
   * Tools, prompts and resources: type Features of subgraphs/directory/server-features.
   */
  features: unknown | null
  /**
   * Names of the tools, sorted: what the search reads without the schemas.
   */
  tool_names: string[]
}
export type Item = {
  /**
   * Never reused.
   */
  id: GeneratedAlways<string>
  kind: string
  /**
   * What makes two contributions one item; its key survives every later import.
   */
  identity: string
  /**
   * Natural key: owner/repo, marketplace/slug or slug. Original case; unique without regard to
   * case.
   */
  key: string
  name: string
  description: string
  category: string
  /**
   * As the source spelled it; null: no source named one.
   */
  original_category: string | null
  tags: string[]
  /**
   * Stars of the repository; 0 when unknown.
   */
  popularity: number
  /**
   * SPDX identifier or expression, as its source or package states it or GitHub recognises it; null: none is known.
   */
  license: string | null
  /**
   * Fields of this kind only: McpServerDetail, PluginDetail, SkillDetail or EntryDetail.
   */
  detail: unknown
  /**
   * Which source each field comes from.
   */
  provenance: unknown
  created_at: Date
  updated_at: Date
  /**
   * Time at which its last source vanished: the row stays as a tombstone. Null: live.
   */
  removed_at: Date | null
  /**
   * Revision of the directory that last changed the row.
   */
  revision: string
}
export type PackageObservation = {
  /**
   * PackageRegistry of the SDL.
   */
  registry: string
  /**
   * As the registry writes it: of PyPI in lower case with single hyphens.
   */
  name: string
  /**
   * Time of the last attempt, and of the last answer; null: there was none. The columns below are of it.
   */
  observed_at: Date
  answered_at: Date | null
  /**
   * Validator of the answer (RFC 9110 §8.8.3); null: it had none.
   */
  etag: string | null
  /**
   * Newest version, and the time of its publication; null: unknown.
   */
  version: string | null
  published_at: Date | null
  /**
   * SPDX identifier or expression; null: none that is known.
   */
  license: string | null
  /**
   * Downloads of the last 30 days; null: unknown, as for all of PyPI.
   */
  monthly_downloads: number | null
  /**
   * Whether the newest version is deprecated or yanked, and why; at most 300 characters.
   */
  is_withdrawn: Generated<boolean>
  withdrawn_reason: string | null
  /**
   * "owner/repository" on GitHub in lower case that the package calls its source; null: none.
   */
  repository: string | null
  /**
   * Whether installing it runs code of the package; null: unknown.
   */
  has_install_script: boolean | null
  /**
   * Whether the registry holds an attestation of its build; null: unknown.
   */
  has_provenance: boolean | null
  /**
   * Whether the last answer was that the registry no longer has it; all that is known of it is null then.
   */
  is_unpublished: Generated<boolean>
  /**
   * Ids of the advisories that OSV has about the newest version, at most 20; null: they were not looked up.
   */
  advisories: string[]
}
export type PastRevision = {
  number: string
  mark: string
}
export type RepositoryObservation = {
  /**
   * "owner/repository" in lower case.
   */
  repository: string
  /**
   * Time of the last attempt, and of the last answer; null: there was none.
   */
  observed_at: Date
  answered_at: Date | null
  /**
   * Validator of the answer (RFC 9110 §8.8.3); null: it had none.
   */
  etag: string | null
  /**
   * Whether its owner archived it; null: unknown.
   */
  archived: boolean | null
  /**
   * SPDX identifier; null: unknown, or none that GitHub recognises.
   */
  license: string | null
  /**
   * Time of the last push; null: unknown.
   */
  pushed_at: Date | null
  /**
   * Time of its creation; null: unknown.
   */
  created_at: Date | null
}
export type RepositoryStars = {
  /**
   * "owner/repository" in lower case.
   */
  repository: string
  stars: number
  /**
   * Day of the count.
   */
  as_of: Date
}
export type Revision = {
  only_row: GeneratedAlways<boolean>
  /**
   * Random per database, so that cache validators of two databases differ.
   */
  dataset: Generated<string>
  /**
   * Rises with every import that changes something.
   */
  number: Generated<string>
  /**
   * Null: nothing was ever imported.
   */
  changed_at: Date | null
  /**
   * Random, made anew with the number: a database that was restored and imported into counts to the same
   * number again, with other items.
   */
  mark: Generated<string>
}
export type Source = {
  id: GeneratedAlways<string>
  /**
   * Letters a to z, digits and "-".
   */
  name: string
  /**
   * DirectorySourceKind of the SDL.
   */
  kind: string
  /**
   * Where it is; also the root of its contributions.
   */
  address: string
  /**
   * "owner/repository" whose files these are; null: what the address says.
   */
  repository: string | null
  /**
   * Time between two runs. Minutes.
   */
  interval_minutes: number
  /**
   * Whether it is run by itself.
   */
  enabled: boolean
  created_at: Date
  /**
   * Time from which the next run begins; null: it is not run by itself.
   */
  next_run_at: Date | null
  /**
   * Whether the next run may remove however much is gone.
   */
  accepts_drop: Generated<boolean>
  /**
   * Beginning of the last run, of the last that succeeded, and of the last that read everything;
   * null: there was none.
   */
  last_attempt_at: Date | null
  last_success_at: Date | null
  last_complete_at: Date | null
  /**
   * DirectorySourceProblem of the SDL; null: the last run succeeded, or there was none.
   */
  problem: string | null
  /**
   * The same for people, at most 500 characters.
   */
  last_error: string | null
  /**
   * Runs that failed since the last success.
   */
  failures: Generated<number>
  /**
   * Counts of the last run that succeeded: items, and records that could not be read.
   */
  added: number | null
  updated: number | null
  removed: number | null
  rejected: number | null
  /**
   * Validators of the last answer (RFC 9110 §8.8); null: it had none.
   */
  etag: string | null
  last_modified: string | null
  /**
   * Hour in which `requests` were sent; null: none yet.
   */
  requests_since: Date | null
  requests: Generated<number>
  /**
   * Beginning of the run whose pages are stored, and whether it reads everything; null: no run is
   * to be continued.
   */
  pages_since: Date | null
  pages_complete: Generated<boolean>
}
export type SourcePage = {
  source_id: string
  /**
   * From 0.
   */
  position: number
  /**
   * Cursor of the page behind it; null: it is the last.
   */
  next_cursor: string | null
  /**
   * Rows of the page as JSON text: type jsonb refuses texts of strangers that JSON allows.
   */
  rows: string
}
export type Tables = {
  contribution: Contribution
  feature_change: FeatureChange
  feature_probe: FeatureProbe
  item: Item
  package_observation: PackageObservation
  past_revision: PastRevision
  repository_observation: RepositoryObservation
  repository_stars: RepositoryStars
  revision: Revision
  source: Source
  source_page: SourcePage
}
