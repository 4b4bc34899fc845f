import type { Context } from '../context.ts'
import { repositoryOnGithub } from '../import/link.ts'
import type { Catalogue } from '../item/catalogue.ts'
import type { Item } from '../item/item.ts'
import { sourceOf } from '../item/owner.ts'
import { namesRepositoryOf, packagesOfServer } from '../published-package/resolvers.ts'
import { findingsIn } from '../server-features/findings.ts'
import { lookAlikesOf, type WellKnownNames, wellKnownNames } from './look-alike.ts'
import { type ItemEvidence, itemTrustOf } from './rules.ts'

/** Changes before this are forgotten. Milliseconds. */
const CHANGES_SINCE_MS = 90 * 86_400_000

/** Evidence about an item, by what the directory has stored. */
export async function itemTrust(item: Item, _: unknown, context: Context) {
  return itemTrustOf(item, await evidenceOf(item, context), context.now())
}

/** Well-known names of a catalogue; as long as it lives, once somebody wants them. */
const WELL_KNOWN = new WeakMap<Catalogue, WellKnownNames>()

function wellKnownOf(catalogue: Catalogue): WellKnownNames {
  const names = WELL_KNOWN.get(catalogue) ?? wellKnownNames(catalogue.items)
  WELL_KNOWN.set(catalogue, names)
  return names
}

async function evidenceOf(item: Item, { catalogue, load, now }: Context): Promise<ItemEvidence> {
  const repository = repositoryOnGithub(sourceOf(item))
  const facts = repository === null ? null : await load.factsByRepository.load(repository)
  const lookAlikes = lookAlikesOf(item, wellKnownOf(catalogue))
  if (item.kind !== 'MCP_SERVER') return { lookAlikes, repository: facts, packages: [], marks: null, changes: null }
  const [row, changes, known] = await Promise.all([
    load.featuresByItem.load(item.id),
    load.changesByItem.load(item.id),
    packagesOfServer(item, { load }),
  ])
  const packages = known.map((one) => ({ ...one, isOfRepository: namesRepositoryOf(item, one.repository) }))
  const features = row?.probe?.features ?? row?.stated ?? null
  const since = now().getTime() - CHANGES_SINCE_MS
  const recent = changes.filter(({ change, seenAt }) => change === 'CHANGED' && seenAt.getTime() >= since)
  const [last] = recent
  const found = features === null ? null : findingsIn(features)
  return {
    lookAlikes,
    repository: facts,
    packages,
    marks: found && {
      injection: found.filter(({ rule }) => rule.kind === 'INJECTION').length,
      dangerous: found.filter(({ rule }) => rule.kind === 'DANGEROUS').length,
      isProbed: row?.probe?.features != null,
    },
    changes: last ? { count: recent.length, lastAt: last.seenAt } : null,
  }
}
