import type { Kind } from '../item/item.ts'
import type { Merged } from './merge.ts'
import { compare } from './precedence.ts'
import { slugOf } from './text.ts'

/** The key of an item that is stored already, tombstones included: it never moves. */
export type Keyed = { readonly kind: Kind; readonly identity: string; readonly key: string }

/**
 * Gives every item its key. Stored items keep theirs; of new ones that ask for the same, one gets
 * it (see `byClaim`), and the others get a suffix made from their owner. Two databases that met the
 * same items in a different order of runs can therefore differ in suffixes, and in nothing else.
 */
export function assignKeys(items: readonly Merged[], stored: readonly Keyed[]): ReadonlyMap<Merged, string> {
  const known = new Map(stored.map(({ kind, identity, key }) => [`${kind} ${identity}`, key]))
  const taken = new Set(stored.map(({ kind, key }) => `${kind} ${key.toLowerCase()}`))
  const marketplaces = marketplaceSlugs(items, stored)
  const keys = new Map<Merged, string>()
  const newOnes: Merged[] = []
  for (const item of items) {
    const key = known.get(`${item.kind} ${item.identity}`)
    if (key === undefined) newOnes.push(item)
    else keys.set(item, key)
  }
  newOnes.sort(byClaim)
  for (const item of newOnes) {
    for (const key of candidates(item, marketplaces)) {
      const claim = `${item.kind} ${key.toLowerCase()}`
      if (taken.has(claim)) continue
      taken.add(claim)
      keys.set(item, key)
      break
    }
  }
  return keys
}

/**
 * By precedence; then the shallower path, since collections keep copies of other items in deep
 * folders.
 */
function byClaim(one: Merged, other: Merged): number {
  const depth = ({ identity }: Merged): number => identity.split('/').length
  return one.rank - other.rank || depth(one) - depth(other) || compare(one.identity, other.identity)
}

/** Candidate keys, the wanted one first; endless. */
function* candidates(item: Merged, marketplaces: ReadonlyMap<string, string>): Generator<string> {
  const [, slug = ''] = item.wantedKey.split('/')
  const wanted = item.kind === 'PLUGIN' ? `${marketplaces.get(marketplaceOf(item.identity))}/${slug}` : item.wantedKey
  yield wanted
  for (const suffix of suffixes(item)) if (suffix !== '') yield `${wanted}-${suffix}`
  for (let number = 2; ; number += 1) yield `${wanted}-${number}`
}

/**
 * For a server, what its identity has besides the repository; for others, whose repository it is.
 */
function suffixes({ kind, identity }: Merged): readonly string[] {
  if (kind === 'MCP_SERVER') return [slugOf(/[#:]([^#]+)$/.exec(identity)?.[1]?.split('/').at(-1) ?? '')]
  return ownerSuffixes(identity)
}

function ownerSuffixes(identity: string): readonly string[] {
  const [, owner, repository] = /^github\.com\/([^/!#]+)\/([^/!#]+)/.exec(identity) ?? []
  return owner === undefined || repository === undefined ? [] : [slugOf(owner), slugOf(`${owner}-${repository}`)]
}

/** The marketplace's part of a plugin's identity. */
const marketplaceOf = (identity: string): string => identity.slice(0, identity.lastIndexOf('/'))

/**
 * One slug per marketplace, shared by its plugins: the wanted one, or with its owner's name when
 * another marketplace has it.
 */
function marketplaceSlugs(items: readonly Merged[], stored: readonly Keyed[]): ReadonlyMap<string, string> {
  const slugs = new Map<string, string>()
  const taken = new Set<string>()
  for (const { kind, identity, key } of stored) {
    if (kind !== 'PLUGIN') continue
    const slug = key.split('/')[0] ?? ''
    taken.add(slug)
    slugs.set(marketplaceOf(identity), slug)
  }
  const plugins = items.filter(({ kind }) => kind === 'PLUGIN').sort(byClaim)
  for (const { identity, wantedKey } of plugins) {
    const marketplace = marketplaceOf(identity)
    if (slugs.has(marketplace)) continue
    const wanted = wantedKey.split('/')[0] ?? ''
    const free = [wanted, ...ownerSuffixes(identity).map((suffix) => `${wanted}-${suffix}`)].find((slug) => !taken.has(slug))
    const slug = free ?? `${wanted}-${taken.size}`
    taken.add(slug)
    slugs.set(marketplace, slug)
  }
  return slugs
}

/**
 * Stored servers whose identity no item has any longer, with the new item of the same repository
 * that goes on under their id and key: links and posts stay. A repository that is found to hold
 * several servers, or one after all, gets other identities.
 */
export function successorsOf(
  items: readonly Merged[],
  stored: readonly Keyed[],
): readonly { readonly kind: Kind; readonly from: string; readonly to: string }[] {
  const known = new Set(stored.map(({ kind, identity }) => `${kind} ${identity}`))
  const newOnes = new Map<string, Merged[]>()
  const living = new Set<string>()
  for (const item of items) {
    living.add(`${item.kind} ${item.identity}`)
    if (item.kind !== 'MCP_SERVER' || known.has(`${item.kind} ${item.identity}`)) continue
    const repository = repositoryIn(item.identity)
    const group = newOnes.get(repository)
    if (group) group.push(item)
    else newOnes.set(repository, [item])
  }
  for (const group of newOnes.values()) group.sort(byClaim)
  const isWanted = ({ identity, key }: Keyed): boolean =>
    newOnes.get(repositoryIn(identity))?.some(({ wantedKey }) => wantedKey.toLowerCase() === key.toLowerCase()) === true
  return [...stored]
    .sort((one, other) => Number(isWanted(other)) - Number(isWanted(one)) || compare(one.identity, other.identity))
    .flatMap(({ kind, identity, key }) => {
      if (kind !== 'MCP_SERVER' || living.has(`${kind} ${identity}`)) return []
      const group = newOnes.get(repositoryIn(identity)) ?? []
      const at = Math.max(
        0,
        group.findIndex(({ wantedKey }) => wantedKey.toLowerCase() === key.toLowerCase()),
      )
      const [successor] = group.splice(at, 1)
      return successor ? [{ kind, from: identity, to: successor.identity }] : []
    })
}

const repositoryIn = (identity: string): string => identity.split('#', 1)[0] ?? ''
