import { jsonDocument, plainLines } from './feed-formats.ts'
import {
  blackbookCsv,
  type ListFormat,
  phishingUrls,
  phishtankCsv,
  rankedNames,
  rdapBootstrap,
  threatfoxCsv,
  urlhausCsv,
} from './list-formats.ts'
import { BOOTSTRAP } from './rdap-services.ts'

/** A list that can be downloaded. None ships with this program but a copy of IANA's. */
export type List = {
  readonly name: string
  readonly kind: 'threat' | 'popularity' | 'bootstrap'
  /** Lists that copy each other have one lineage, and are one witness. */
  readonly lineage: string
  readonly url: string
  readonly format: ListFormat
  /** Shortest interval between downloads that the publisher allows. Seconds. */
  readonly refreshSeconds: number
  /** Fewer entries are a broken copy. */
  readonly minEntries: number
  readonly maxBytes: number
  /**
   * Whether entries stay until they turn out to be wrong; absent: they also leave by age, or when a
   * site is offline.
   */
  readonly keepsEntries?: true
}

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 60 * MINUTE_SECONDS
const MEGABYTE_BYTES = 1_000_000

/** Lists by name, with the addresses where their publishers offer them. */
const LISTS: readonly List[] = [
  {
    name: BOOTSTRAP,
    kind: 'bootstrap',
    lineage: BOOTSTRAP,
    url: 'https://data.iana.org/rdap/dns.json',
    format: rdapBootstrap,
    refreshSeconds: 24 * HOUR_SECONDS,
    // Around 1,200 top-level domains in 2026; a new installation must not believe a stub.
    minEntries: 500,
    maxBytes: 5 * MEGABYTE_BYTES,
  },
  {
    name: 'urlhaus',
    kind: 'threat',
    lineage: 'abuse.ch',
    url: 'https://urlhaus.abuse.ch/downloads/csv_recent/',
    format: urlhausCsv,
    refreshSeconds: HOUR_SECONDS,
    minEntries: 100,
    maxBytes: 100 * MEGABYTE_BYTES,
  },
  {
    name: 'threatfox',
    kind: 'threat',
    lineage: 'abuse.ch',
    url: 'https://threatfox.abuse.ch/export/csv/recent/',
    format: threatfoxCsv,
    refreshSeconds: HOUR_SECONDS,
    minEntries: 20,
    maxBytes: 100 * MEGABYTE_BYTES,
  },
  {
    // Public domain, https://github.com/stamparm/blackbook.
    name: 'blackbook',
    kind: 'threat',
    lineage: 'blackbook',
    url: 'https://raw.githubusercontent.com/stamparm/blackbook/master/blackbook.csv',
    format: blackbookCsv,
    refreshSeconds: 24 * HOUR_SECONDS,
    minEntries: 100,
    maxBytes: 50 * MEGABYTE_BYTES,
    keepsEntries: true,
  },
  {
    name: 'openphish',
    kind: 'threat',
    lineage: 'openphish',
    url: 'https://openphish.com/feed.txt',
    format: phishingUrls,
    refreshSeconds: 12 * HOUR_SECONDS,
    minEntries: 50,
    maxBytes: 50 * MEGABYTE_BYTES,
  },
  {
    name: 'phishtank',
    kind: 'threat',
    lineage: 'phishtank',
    url: 'https://data.phishtank.com/data/online-valid.csv',
    format: phishtankCsv,
    refreshSeconds: 6 * HOUR_SECONDS,
    minEntries: 1_000,
    maxBytes: 100 * MEGABYTE_BYTES,
  },
  {
    // MIT, https://github.com/Phishing-Database/Phishing.Database.
    name: 'phishing-database',
    kind: 'threat',
    lineage: 'phishing-database',
    url: 'https://raw.githubusercontent.com/Phishing-Database/Phishing.Database/master/phishing-domains-ACTIVE.txt',
    format: phishingUrls,
    refreshSeconds: 12 * HOUR_SECONDS,
    minEntries: 10_000,
    maxBytes: 100 * MEGABYTE_BYTES,
  },
  {
    // Warning list of CERT Polska, https://cert.pl/en/warning-list/.
    name: 'cert-pl',
    kind: 'threat',
    lineage: 'cert-pl',
    url: 'https://hole.cert.pl/domains/v2/domains.txt',
    format: phishingUrls,
    refreshSeconds: HOUR_SECONDS,
    minEntries: 1_000,
    maxBytes: 50 * MEGABYTE_BYTES,
    keepsEntries: true,
  },
  {
    name: 'tranco',
    kind: 'popularity',
    lineage: 'tranco',
    url: 'https://tranco-list.eu/top-1m.csv.zip',
    format: rankedNames,
    refreshSeconds: 24 * HOUR_SECONDS,
    minEntries: 100_000,
    maxBytes: 100 * MEGABYTE_BYTES,
  },
  {
    name: 'umbrella',
    kind: 'popularity',
    lineage: 'umbrella',
    url: 'https://s3-us-west-1.amazonaws.com/umbrella-static/top-1m.csv.zip',
    format: rankedNames,
    refreshSeconds: 24 * HOUR_SECONDS,
    minEntries: 100_000,
    maxBytes: 100 * MEGABYTE_BYTES,
  },
]

/** The names that an operator may set up. */
export const LIST_NAMES: readonly string[] = LISTS.map(({ name }) => name)

/** Whether a copy of a list ships with this program. */
export const isShipped = (name: string): boolean => name === BOOTSTRAP

/**
 * Configuration of a list: its name, and its URL where it differs, such as a mirror or one with a
 * key.
 */
export type ListChoice = { readonly name: string; readonly url: string | null }

/**
 * The lists of these choices. Registries' services are always among them. Throws for a name that
 * there is not.
 */
export function chosenLists(choices: readonly ListChoice[]): List[] {
  const all = choices.some(({ name }) => name === BOOTSTRAP) ? choices : [{ name: BOOTSTRAP, url: null }, ...choices]
  return all.map(({ name, url }) => {
    const list = LISTS.find((candidate) => candidate.name === name)
    if (!list) throw new Error(`Expected one of ${LIST_NAMES.join(', ')}, got "${name}".`)
    return url === null ? list : { ...list, url }
  })
}

/** A feed of the operator: its name, where it is, and whether it is one JSON document. */
export type OwnFeed = { readonly name: string; readonly url: string; readonly isJson: boolean }

/** A document is held in memory and read at once. */
const MAX_DOCUMENT_BYTES = 20 * MEGABYTE_BYTES

/** Feeds of the operator as lists; each is a witness of its own, and counts for all keys. */
export const ownFeedLists = (feeds: readonly OwnFeed[]): List[] =>
  feeds.map(({ name, url, isJson }) => ({
    name: `own-${name}`,
    kind: 'threat',
    lineage: `own-${name}`,
    url,
    format: isJson ? jsonDocument : plainLines,
    refreshSeconds: HOUR_SECONDS,
    minEntries: 1,
    maxBytes: isJson ? MAX_DOCUMENT_BYTES : 100 * MEGABYTE_BYTES,
    keepsEntries: true,
  }))
