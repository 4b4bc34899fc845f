import type { ItemTrustLevel, ItemTrustSubject } from '#generated/directory/resolvers.ts'
import { installationFindings, type TrustFinding } from '../item/installation.ts'
import type { Item, McpServer } from '../item/item.ts'
import { isMalware } from '../published-package/malware.ts'
import type { LookAlike } from './look-alike.ts'

/** What a registry said of a package. */
export type PackageEvidence = {
  readonly name: string
  readonly version: string | null
  readonly publishedAt: Date | null
  readonly isWithdrawn: boolean
  /** Whether its registry no longer has it. */
  readonly isUnpublished: boolean
  readonly hasInstallScript: boolean | null
  readonly hasProvenance: boolean | null
  /** Whether it names the repository of the item; null when either is unknown. */
  readonly isOfRepository: boolean | null
  /** Ids of advisories about its newest version; null when they were not looked up. */
  readonly advisories: readonly string[] | null
}

/** What is known of an item besides its fields. */
export type ItemEvidence = {
  readonly lookAlikes: readonly LookAlike[]
  /** What GitHub said of its repository; null: it was not observed. */
  readonly repository: {
    readonly archived: boolean | null
    readonly pushedAt: Date | null
    readonly createdAt: Date | null
  } | null
  /** What registries said of the packages that it is installed from; empty when they were not observed. */
  readonly packages: readonly PackageEvidence[]
  /** Marks in what a server offers; null where it is not known what it offers. */
  readonly marks: {
    readonly injection: number
    readonly dangerous: number
    /** Whether the server itself answered what it offers; else its sources say so. */
    readonly isProbed: boolean
  } | null
  /** Descriptions and schemas that changed between two probes in the last 90 days, and the last time. */
  readonly changes: { readonly count: number; readonly lastAt: Date } | null
}

export type TrustPart = {
  readonly subject: ItemTrustSubject
  readonly level: ItemTrustLevel
  readonly findings: readonly TrustFinding[]
}
export type ItemTrust = { readonly level: ItemTrustLevel; readonly parts: readonly TrustPart[] }

/** Worst last. */
const LEVELS: readonly ItemTrustLevel[] = ['UNKNOWN', 'GOOD', 'CAUTION', 'WARNING']
const worse = (one: ItemTrustLevel, other: ItemTrustLevel): ItemTrustLevel =>
  LEVELS.indexOf(one) < LEVELS.indexOf(other) ? other : one

/** A repository without a push for this long is at rest: some are done, most are left. Milliseconds. */
const AT_REST_AFTER_MS = 2 * 365 * 86_400_000
/** Copies that do harm live for days until they are reported; what is older was seen by others. Milliseconds. */
const NEW_FOR_MS = 30 * 86_400_000
/** Longest detail. UTF-16 units. */
const MAX_DETAIL_LENGTH = 300

/** What the evidence about an item amounts to, at a time. */
export function itemTrustOf(item: Item, evidence: ItemEvidence, now: Date): ItemTrust {
  const isServer = item.kind === 'MCP_SERVER'
  const parts = [
    partOf('PUBLISHER', publisherFindings(item, evidence, now)),
    partOf('NAMES', evidence.lookAlikes.map(lookAlikeFinding)),
    ...(isServer
      ? [partOf('INSTALLATION', [...installationFindings(item).map(cut), ...evidence.packages.flatMap(packageFindings)])]
      : []),
    partOf('MAINTENANCE', maintenanceFindings(item, evidence, now)),
    ...(isServer ? [partOf('BEHAVIOR', behaviorFindings(evidence))] : []),
  ]
  const worst = parts.reduce<ItemTrustLevel>((level, part) => worse(level, part.level), 'UNKNOWN')
  const isVerified = parts[0]?.level === 'GOOD'
  return { level: worst === 'GOOD' && !isVerified ? 'UNKNOWN' : worst, parts }
}

function partOf(subject: ItemTrustSubject, findings: readonly TrustFinding[]): TrustPart {
  const worstFirst = findings.toSorted((one, other) => LEVELS.indexOf(other.level) - LEVELS.indexOf(one.level))
  return { subject, level: worstFirst[0]?.level ?? 'UNKNOWN', findings: worstFirst }
}

const finding = (code: string, level: ItemTrustLevel, meaning: string, detail: string | null = null): TrustFinding => ({
  code,
  level,
  meaning,
  detail: detail === null ? null : detail.slice(0, MAX_DETAIL_LENGTH).toWellFormed(),
})

const cut = ({ code, level, meaning, detail }: TrustFinding): TrustFinding => finding(code, level, meaning, detail)

/** A new repository says nothing against a publisher whom somebody has verified. */
function publisherFindings(item: Item, { repository }: ItemEvidence, now: Date): readonly TrustFinding[] {
  const verified = item.kind === 'MCP_SERVER' ? verifications(item) : []
  const createdAt = repository?.createdAt ?? null
  if (verified.length > 0 || createdAt === null || now.getTime() - createdAt.getTime() > NEW_FOR_MS) return verified
  const day = createdAt.toISOString().slice(0, 10)
  return [finding('NEW_REPOSITORY', 'CAUTION', 'Its repository was created less than 30 days ago.', day)]
}

function verifications({ registered, official }: McpServer): readonly TrustFinding[] {
  return [
    ...(registered
      ? [finding('REGISTERED_NAME', 'GOOD', 'A registry verified who may publish under its name.', registered.name)]
      : []),
    ...(official ? [finding('OFFICIAL', 'GOOD', 'A curated source lists it as the vendor’s own.')] : []),
  ]
}

const lookAlikeFinding = ({ what, name, resembles, key }: LookAlike): TrustFinding =>
  finding(
    what === 'OWNER' ? 'LOOK_ALIKE_OWNER' : 'LOOK_ALIKE_PACKAGE',
    'WARNING',
    what === 'OWNER'
      ? 'The name of its owner is nearly that of a well-known one.'
      : 'The name of its package is nearly that of a well-known one.',
    `${name}, like ${resembles} of ${key}`,
  )

const packageFindings = ({ name, version, ...said }: PackageEvidence): readonly TrustFinding[] => [
  ...(said.isUnpublished
    ? [
        finding(
          'UNPUBLISHED_PACKAGE',
          'WARNING',
          'Its registry no longer has its package: another publisher may take the name.',
          name,
        ),
      ]
    : []),
  ...advisoryFindings(name, version, said.advisories ?? []),
  ...(said.hasInstallScript === true
    ? [finding('INSTALL_SCRIPT', 'CAUTION', 'Installing its package runs code of the package.', name)]
    : []),
  ...(said.isOfRepository === false
    ? [finding('OTHER_REPOSITORY', 'CAUTION', 'Its package names another repository as its source.', name)]
    : []),
  ...(said.isOfRepository === true && said.hasProvenance === true
    ? [
        finding(
          'PROVENANCE',
          'GOOD',
          'Its registry holds an attestation of how its package was built.',
          `${name} ${version ?? ''}`.trim(),
        ),
      ]
    : []),
]

function advisoryFindings(name: string, version: string | null, advisories: readonly string[]): readonly TrustFinding[] {
  const detailOf = (ids: readonly string[]): string => `${`${name} ${version ?? ''}`.trim()}: ${ids.join(', ')}`
  const malware = advisories.filter(isMalware)
  const others = advisories.filter((id) => !isMalware(id))
  return [
    ...(malware.length > 0
      ? [finding('MALWARE', 'WARNING', 'An advisory says that the newest version of its package does harm.', detailOf(malware))]
      : []),
    ...(others.length > 0
      ? [finding('ADVISORY', 'CAUTION', 'Advisories name weaknesses of the newest version of its package.', detailOf(others))]
      : []),
  ]
}

function maintenanceFindings(item: Item, { repository, packages }: ItemEvidence, now: Date): readonly TrustFinding[] {
  const withdrawn = packages.filter(({ isWithdrawn }) => isWithdrawn)
  const released = packages.find(
    ({ isOfRepository, publishedAt }) =>
      isOfRepository === true && publishedAt !== null && now.getTime() - publishedAt.getTime() <= AT_REST_AFTER_MS,
  )
  const isArchived = repository?.archived === true
  const pushedAt = repository?.pushedAt ?? null
  const isAtRest = pushedAt !== null && now.getTime() - pushedAt.getTime() > AT_REST_AFTER_MS
  const day = pushedAt === null ? null : pushedAt.toISOString().slice(0, 10)
  return [
    ...(item.kind === 'MCP_SERVER' && item.deprecated
      ? [finding('DEPRECATED', 'WARNING', 'Its sources, its repository or its own package say that it is deprecated.')]
      : []),
    ...withdrawn.map(({ name }) =>
      finding('WITHDRAWN_PACKAGE', 'WARNING', 'Its publisher withdrew the newest version of its package.', name),
    ),
    ...(released && withdrawn.length === 0 && !isArchived
      ? [
          finding(
            'RELEASED',
            'GOOD',
            'A version of its package was published in the last two years.',
            `${released.name} ${released.publishedAt?.toISOString().slice(0, 10)}`,
          ),
        ]
      : []),
    ...(isArchived ? [finding('ARCHIVED', 'WARNING', 'Its owner archived the repository: nobody mends it.')] : []),
    ...(isAtRest && !isArchived
      ? [finding('AT_REST', 'CAUTION', 'Nothing was pushed to its repository for two years.', day)]
      : []),
    ...(pushedAt && !isAtRest && !isArchived
      ? [finding('ACTIVE', 'GOOD', 'Its repository was pushed to in the last two years.', day)]
      : []),
  ]
}

const NO_MARKS = finding('NO_MARKS', 'GOOD', 'No rule marks what it offers, by its own answer.')
/** Whoever lists a server may leave out what it does. */
const NO_MARKS_STATED = finding('NO_MARKS', 'UNKNOWN', 'No rule marks what its sources say that it offers; it was not called.')

function behaviorFindings({ marks, changes }: ItemEvidence): readonly TrustFinding[] {
  if (marks === null) return []
  const { injection, dangerous, isProbed } = marks
  return [
    ...(injection > 0
      ? [finding('INJECTION_MARKS', 'WARNING', 'Texts of what it offers give orders to models.', `marks: ${injection}`)]
      : []),
    ...(dangerous > 0
      ? [finding('DANGEROUS_CAPABILITIES', 'CAUTION', 'What it offers does harm in the wrong hands.', `marks: ${dangerous}`)]
      : []),
    ...(changes
      ? [
          finding(
            'CHANGED_TOOLS',
            'CAUTION',
            'Descriptions or arguments of what it offers changed in the last 90 days.',
            `${changes.count}, last on ${changes.lastAt.toISOString().slice(0, 10)}`,
          ),
        ]
      : []),
    ...(injection + dangerous === 0 && !changes ? [isProbed ? NO_MARKS : NO_MARKS_STATED] : []),
  ]
}
