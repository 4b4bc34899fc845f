import { z } from 'zod'
import type { CompareItemsQuery, CompareItemsQueryVariables } from '#generated/operations.ts'
import { newestRelease } from '../../web/item/release.ts'
import { knownStars } from '../../web/item/stars.ts'
import { argumentsOf } from '../arguments.ts'
import { text } from '../scalars.ts'
import type { Form } from '../tool.ts'
import { type AnswerContent, bytesOf, MAX_ANSWER_BYTES } from './compact.ts'

type Item = NonNullable<CompareItemsQuery['directoryItems'][number]>
type Server = Extract<Item, { readonly envVars: unknown }>
type Subject = Item['itemTrust']['parts'][number]['subject']

/** How much of an item is said; bytes are those of JSON. Of a text there is a part; of a command or an address all, or null. */
type Room = { readonly names: number; readonly findings: number; readonly textBytes: number; readonly wholeBytes: number }

/** Tried in turn until the comparison fits: the last one always does. */
const ROOMS: readonly Room[] = [
  { names: 12, findings: 6, textBytes: 400, wholeBytes: 500 },
  { names: 6, findings: 4, textBytes: 200, wholeBytes: 500 },
  { names: 3, findings: 2, textBytes: 100, wholeBytes: 500 },
  { names: 0, findings: 1, textBytes: 60, wholeBytes: 200 },
]
/** Items that stand beside each other, as in the page. */
const MAX_COMPARED_ITEMS = 4

const EXPECTED_IDS = `a list of 1 to ${MAX_COMPARED_ITEMS} ids`

/** Arguments and result of `compare_items`: what the page `/compare` shows, short enough for a model. */
export const comparisonForm: Form<CompareItemsQuery, CompareItemsQueryVariables> = {
  accepts: argumentsOf({
    ids: z
      .array(text(100), { error: EXPECTED_IDS })
      .min(1, { error: EXPECTED_IDS })
      .max(MAX_COMPARED_ITEMS, { error: EXPECTED_IDS })
      .describe('`id`s of search results, each once, 1 to 4.'),
  }),
  // As `accepts` made them.
  variables: ({ ids }) => ({ ids: ids as string[] }),
  returns: z.object({
    items: z.array(z.looseObject({ id: z.string(), type: z.string(), name: z.string() })),
    missing: z.array(z.string()).describe('Ids that no item has.'),
  }),
  content({ directoryItems }, { ids }) {
    const found = directoryItems.flatMap((item) => item ?? [])
    // As `accepts` made them.
    const missing = (ids as string[]).filter((_, at) => directoryItems[at] == null)
    const contents = ROOMS.map((room) => () => ({ items: found.map((item) => summaryOf(item, room)), missing }))
    const [last] = contents.slice(-1)
    return (contents.find((content) => bytesOf(content()) <= MAX_ANSWER_BYTES) ?? last)?.() ?? { items: [], missing }
  },
}

/** An item in words that are comparable; `quiet` fields are left out where a kind does not have them. */
function summaryOf(item: Item, room: Room): AnswerContent {
  const { id, kind, name, url, category, popularity, license, licenseFamily, updatedAt, itemTrust } = item
  const findings = (subjects: readonly Subject[], isDoubt: boolean): readonly string[] =>
    itemTrust.parts
      .filter(({ subject }) => subjects.includes(subject))
      .flatMap((part) => part.findings)
      .filter(({ level }) => !isDoubt || level === 'CAUTION' || level === 'WARNING')
      .slice(0, room.findings)
      .map(({ level, meaning }) => cut(`${level.toLowerCase()}: ${meaning}`, room))
  return {
    id,
    type: kind.toLowerCase(),
    name: cut(name, room),
    url,
    category,
    publisher: cut('owner' in item ? item.owner : 'marketplaceSlug' in item ? item.marketplaceSlug : item.slug, room),
    publisherFindings: findings(['PUBLISHER'], false),
    trust: itemTrust.level.toLowerCase(),
    doubts: findings(['NAMES', 'INSTALLATION', 'BEHAVIOR'], true),
    maintenance: findings(['MAINTENANCE'], false),
    license,
    licenseFamily: licenseFamily?.toLowerCase() ?? null,
    stars: knownStars(popularity),
    updatedAt,
    ...('envVars' in item && ofServer(item, room)),
    ...('ecosystems' in item && { ecosystems: item.ecosystems, installCommand: whole(item.installCommand, room) }),
    ...('docsUrl' in item && { docsUrl: whole(item.docsUrl, room) }),
  }
}

const ofServer = (server: Server, room: Room): AnswerContent => {
  const { installations, transport, envVars, toolNames, registryEntry, observedRepository } = server
  const release = newestRelease(server)
  const names = (texts: readonly string[]): readonly string[] => texts.slice(0, room.names).map((name) => cut(name, room))
  const secrets = envVars.filter(({ secret }) => secret).map(({ name }) => name)
  const required = envVars.filter((one) => one.required && !one.secret).map(({ name }) => name)
  return {
    official: server.official,
    deprecated: server.deprecated,
    archived: observedRepository?.archived ?? null,
    transports: installations.length === 0 ? [transport] : [...new Set(installations.map((one) => one.transport))],
    packages: names(registryEntry.packages.map(({ registryType, identifier }) => `${registryType} ${identifier}`)),
    release: release && {
      version: cut(release.version, room),
      publishedAt: release.publishedAt,
      withdrawn: release.isWithdrawn,
    },
    monthlyDownloads: server.monthlyDownloads,
    secrets: names(secrets),
    required: names(required),
    optional: envVars.length - secrets.length - required.length,
    toolCount: toolNames.length,
    tools: names(toolNames),
    installCommand: whole(server.installCommand, room),
  }
}

/** Bytes of a text in an answer: a character of JSON may take six. */
const bytesIn = (value: string): number => bytesOf(value) - 2

/** A part of a command is another command. */
const whole = (value: string, { wholeBytes }: Room): string | null => (bytesIn(value) <= wholeBytes ? value : null)

function cut(value: string, { textBytes }: Room): string {
  if (bytesIn(value) <= textBytes) return value
  let part = value.slice(0, textBytes)
  // The mark has three.
  while (bytesIn(part) > textBytes - 3) part = part.slice(0, -1)
  return `${part.toWellFormed().trimEnd()}…`
}
