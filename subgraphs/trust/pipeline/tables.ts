import { createHash } from 'node:crypto'
import { SPECIAL_RANGES } from '../../../platform/outbound/address-policy.ts'
import { PATH_TENANTS } from '../path-tenants.ts'
import { canonicalText } from './canonical.ts'
import { BRANDS } from './lists/brands.ts'
import { RESEMBLING, UTS_39 } from './lists/confusables.ts'
import { EVERYDAY } from './lists/everyday.ts'
import { LETTERS } from './lists/letters.ts'
import { PARKING_NETWORKS, PARKING_SERVERS, SINKHOLE_NETWORKS, SINKHOLE_SERVERS } from './lists/parking.ts'
import { REDIRECTORS } from './lists/redirectors.ts'
import { SCRIPTS } from './lists/scripts.ts'
import { AUTHORITY_LABELS, OWN_LABELS, SHARED_SUFFIXES } from './lists/shared-suffixes.ts'
import { SPECIAL_USE } from './lists/special-use.ts'
import { BUSINESS, LURES, PLATFORMS, PROTECTED_SUFFIXES, RISKY_SUFFIXES, USER_PAGES } from './lists/words.ts'
import { WEIGHTS, type Weights } from './weights.ts'

/** Lists that a decision looks names up in. */
export type Lists = {
  readonly brands: readonly string[]
  readonly lures: readonly string[]
  readonly business: readonly string[]
  readonly riskySuffixes: readonly string[]
  readonly parkingServers: readonly string[]
  readonly platforms: readonly string[]
  // Absent before engine 3:
  readonly everyday?: readonly string[]
  readonly protectedSuffixes?: readonly string[]
  readonly parkingNetworks?: readonly string[]
  readonly sinkholeServers?: readonly string[]
  readonly sinkholeNetworks?: readonly string[]
  readonly redirectors?: readonly string[]
  readonly letters?: readonly string[]
  // Absent before engine 5:
  readonly userPages?: readonly string[]
}

/**
 * Everything that a decision depends on beside its snapshot, its request and the code. Plain JSON.
 */
export type PolicyTables = {
  /**
   * Version of the code that reads the tables. Raised when it comes to other decisions from the
   * same tables.
   */
  readonly engine: number
  readonly weights: Weights
  readonly lists: Lists
  /**
   * Tables of names that normalisation has used; their results are stored in the target, so that
   * old decisions need no old tables.
   */
  readonly names: Readonly<Record<string, string>>
}

const digestOf = (value: unknown): string => createHash('sha256').update(canonicalText(value)).digest('hex').slice(0, 16)

/** The tables of this release. A test compares the versions of packages with the installed ones. */
export const TABLES: PolicyTables = {
  engine: 8,
  weights: WEIGHTS,
  lists: {
    brands: BRANDS,
    lures: LURES,
    business: BUSINESS,
    riskySuffixes: RISKY_SUFFIXES,
    parkingServers: PARKING_SERVERS,
    platforms: PLATFORMS,
    everyday: EVERYDAY,
    protectedSuffixes: PROTECTED_SUFFIXES,
    parkingNetworks: PARKING_NETWORKS,
    sinkholeServers: SINKHOLE_SERVERS,
    sinkholeNetworks: SINKHOLE_NETWORKS,
    redirectors: REDIRECTORS,
    letters: LETTERS,
    userPages: USER_PAGES,
  },
  names: {
    publicSuffixes: 'tldts 7.5.4',
    idna: 'tr46 7.0.0',
    addresses: 'ipaddr.js 2.5.0',
    scripts: digestOf(SCRIPTS),
    confusables: digestOf([UTS_39, RESEMBLING]),
    specialUse: digestOf(SPECIAL_USE),
    specialRanges: digestOf(SPECIAL_RANGES),
    pathTenants: digestOf(PATH_TENANTS),
    sharedSuffixes: digestOf([SHARED_SUFFIXES, OWN_LABELS, AUTHORITY_LABELS]),
  },
}

/** The version of tables: `p_` and 64 bits of the hash of their canonical JSON. */
export const versionOf = (tables: PolicyTables): string => `p_${digestOf(tables)}`
