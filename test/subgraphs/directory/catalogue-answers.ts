import type { Catalogue } from '../../../subgraphs/directory/item/catalogue.ts'
import type { DirectoryKind, Item } from '../../../subgraphs/directory/item/item.ts'
import { relatedTo } from '../../../subgraphs/directory/item/related.ts'
import type { CatalogueChanges, CatalogueSnapshot } from '../../../subgraphs/directory/item/repository.ts'
import { groupSimilar } from '../../../subgraphs/directory/item/similar.ts'
import { matching, placesIn } from '../../../subgraphs/directory/search/matching.ts'
import { ranking } from '../../../subgraphs/directory/search/ranking.ts'
import { taskItems } from '../../../subgraphs/directory/search/task-items.ts'
import { randomFrom } from './random.ts'

const STEMS =
  'postgres slack browser calendar invoice weather translate vector kubernetes github mail chart pdf markdown search audit deploy'.split(
    ' ',
  )
const KINDS: readonly DirectoryKind[] = ['MCP_SERVER', 'PLUGIN', 'SKILL']

/** Items that are the same in each run. */
export function generator(seed: number) {
  const random = randomFrom(seed)
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value
  const word = () => (random() < 0.2 ? `${pick(STEMS)}${Math.floor(random() * 50)}` : pick(STEMS))
  const text = (count: number) => Array.from({ length: 1 + Math.floor(random() * count) }, word).join(' ')
  const item = (id: number): Item => {
    const kind = KINDS[id % 3] as DirectoryKind
    const [owner, repo] = [`owner${id % 40}`, `${word()}-${id}`]
    const common = {
      id: String(id),
      key: kind === 'SKILL' ? repo : `${owner}/${repo}`,
      name: text(3),
      description: random() < 0.1 ? 'One description that several authors have left as it was' : text(30),
      category: pick(['Databases', 'Browsers', 'Uncategorized']),
      originalCategory: null,
      tags: [...new Set([word(), word()])],
      popularity: Math.floor(random() * 5) ** 4,
      license: null,
      createdAt: new Date(Math.floor(random() * 1e12)),
      updatedAt: new Date(Math.floor(random() * 1e12)),
    }
    const details = {
      MCP_SERVER: {
        owner,
        repo,
        official: false,
        deprecated: random() < 0.1,
        installations: [],
        envVars: [],
        toolNames: [`${word()}_${word()}`],
      },
      PLUGIN: {
        marketplaceSlug: owner,
        slug: repo,
        ecosystem: 'claude-code',
        ecosystems: ['claude-code'],
        sourceUrl: 'https://a.example',
      },
      SKILL: { slug: repo, source: 'COMMUNITY', docsUrl: 'https://a.example', repoUrl: `https://a.example/${owner}` },
    }
    return { ...common, kind, ...details[kind] } as unknown as Item
  }
  return { random, item }
}

const revision = (number: number) => ({ dataset: 'd', number: String(number), mark: `m${number}`, changedAt: null })
const counts = { PERSONA: 0, BUNDLE: 0, AGENT: 0, GUIDE: 0 }
/** A snapshot of these items. */
export const snapshotOf = (items: readonly Item[], number = 0): CatalogueSnapshot => ({
  revision: revision(number),
  counts,
  items,
})
/** Changes to these items, without those of these rows. */
export const changesOf = (items: readonly Item[], removedIds: readonly string[], number: number): CatalogueChanges => ({
  ...snapshotOf(items, number),
  removedIds,
})

/** Queries that find some of the generated items. */
export const SAMPLE_QUERIES = [
  ...STEMS,
  ...STEMS.map((word) => `${word}1`),
  'pdf to markdown',
  'postgres slack audit',
  'kuberntes',
  'se',
  'slack_mail',
  'wetter',
]

/** Everything that a catalogue answers, without numbers of records. */
export async function answersOf(catalogue: Catalogue, ids: readonly string[]) {
  const accepts = () => true
  const found = (query: string) => {
    const ranked = ranking(matching(query, catalogue, { argument: 'query', accepts: null }), catalogue)
    const itemAt = (place: number) => catalogue.items[ranked.records[place] as number] as Item
    return { ranked, itemAt, places: placesIn(ranked).toSorted(ranked.compare) }
  }
  const copies = (query: string) => {
    const { ranked, places, itemAt } = found(query)
    const groups = groupSimilar(places, ranked, catalogue)
    return [...places].flatMap((place) => (groups.copies[place] ? [[itemAt(place).id, groups.copies[place]]] : []))
  }
  const byKind = async (kind: DirectoryKind) => ({
    list: catalogue.list(kind).map(({ id }) => id),
    name: (await catalogue.sorted(kind, 'NAME')).map(({ id }) => id),
    updated: (await catalogue.sorted(kind, 'UPDATED')).map(({ id }) => id),
    ids: ids.map((id) => catalogue.byId(kind, id)),
    keys: ids.map((id) => catalogue.byKey(kind, catalogue.byId(kind, id)?.key.toUpperCase() ?? 'none')),
  })
  return {
    size: catalogue.size,
    newest: catalogue.newest().map(({ id }) => id),
    lists: await Promise.all(KINDS.map(byKind)),
    searches: SAMPLE_QUERIES.map((query) => {
      const { places, ranked, itemAt } = found(query)
      return Array.from(places, (place) => [itemAt(place).id, ranked.order.positionOf(place)])
    }),
    copies: copies('authors'),
    related: catalogue.list('MCP_SERVER').map((item) => relatedTo(item, 6, catalogue).map(({ id }) => id)),
    task: taskItems('send a postgres invoice by mail to slack', catalogue, { accepts, max: 4 }).picks.map(({ item }) => item.id),
  }
}
