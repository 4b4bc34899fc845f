import { describe, expect, test } from 'vitest'
import { type Catalogue, catalogueOf, changedCatalogue } from '../../../../subgraphs/directory/item/catalogue.ts'
import type { DirectoryKind, Item } from '../../../../subgraphs/directory/item/item.ts'
import { relatedTo } from '../../../../subgraphs/directory/item/related.ts'
import type { CatalogueChanges, CatalogueSnapshot } from '../../../../subgraphs/directory/item/repository.ts'
import { groupSimilar } from '../../../../subgraphs/directory/item/similar.ts'
import { sortOrder } from '../../../../subgraphs/directory/item/sort.ts'
import { matching, placesIn } from '../../../../subgraphs/directory/search/matching.ts'
import { ranking, rankingBy } from '../../../../subgraphs/directory/search/ranking.ts'
import { taskItems } from '../../../../subgraphs/directory/search/task-items.ts'
import { createPace } from '../../../../subgraphs/directory/word-index/pace.ts'
import { changedList } from '../../../../subgraphs/directory/word-index/sorted-list.ts'
import { comparePositions, pageOfUnsorted } from '../../../../subgraphs/toolkit/connection.ts'

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const STEMS =
  'postgres slack browser calendar invoice weather translate vector kubernetes github mail chart pdf markdown search audit deploy'.split(
    ' ',
  )
const KINDS: readonly DirectoryKind[] = ['MCP_SERVER', 'PLUGIN', 'SKILL']

function generator(seed: number) {
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
const snapshotOf = (items: readonly Item[], number = 0): CatalogueSnapshot => ({ revision: revision(number), counts, items })
const changesOf = (items: readonly Item[], removedIds: readonly string[], number: number): CatalogueChanges => ({
  ...snapshotOf(items, number),
  removedIds,
})

const QUERIES = [
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
async function answersOf(catalogue: Catalogue, ids: readonly string[]) {
  const accepts = () => true
  const found = (query: string) => {
    const ranked = ranking(matching(query, catalogue, { argument: 'query', accepts: null }), catalogue)
    const itemAt = (place: number) => catalogue.items[ranked.records[place] as number] as Item
    return { ranked, itemAt, places: placesIn(ranked).toSorted(ranked.compare) }
  }
  const copies = (query: string) => {
    const { ranked, places, itemAt } = found(query)
    return [...groupSimilar(places, ranked, catalogue).copies].map(([place, count]) => [itemAt(place).id, count])
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
    searches: QUERIES.map((query) => {
      const { places, ranked, itemAt } = found(query)
      return places.map((place) => [itemAt(place).id, ranked.order.positionOf(place)])
    }),
    copies: copies('authors'),
    related: catalogue.list('MCP_SERVER').map((item) => relatedTo(item, 6, catalogue).map(({ id }) => id)),
    task: taskItems('send a postgres invoice by mail to slack', catalogue, { accepts, max: 4 }).picks.map(({ item }) => item.id),
  }
}

describe('pages of a search', () => {
  test('are cut from the order of all results, and groups stand where their first one does', async () => {
    const { item } = generator(13)
    const catalogue = await catalogueOf(snapshotOf(Array.from({ length: 900 }, (_, id) => item(id))))
    for (const query of [...QUERIES, 'authors', 'One description that several']) {
      const found = matching(query, catalogue, { argument: 'query', accepts: null })
      for (const ranked of [
        ranking(found, catalogue),
        ranking(found, catalogue, { byStars: true }),
        rankingBy(found, catalogue, sortOrder('search', 'NAME')),
      ]) {
        const places = placesIn(found)
        const { positionOf } = ranked.order
        const sorted = places.toSorted((one, other) => comparePositions(positionOf(one), positionOf(other)))
        const cut = pageOfUnsorted(places, ranked.order, { first: 25, offset: 3 }, ranked.compare)
        expect(cut.edges.map(({ node }) => node)).toEqual(sorted.slice(3, 28))
        // As one reads: the first of each text stays, the others are counted.
        const [shown, counts] = [[] as number[], [] as number[]]
        for (const place of sorted) {
          const textAt = (at: number) => {
            const { kind, description, id } = catalogue.items[found.records[at] as number] as Item
            return description.length < 40 ? id : `${kind} ${description.toLowerCase()}`
          }
          const known = shown.findIndex((at) => textAt(at) === textAt(place))
          if (known === -1) {
            shown.push(place)
            counts.push(0)
          } else counts[known] = (counts[known] as number) + 1
        }
        const groups = groupSimilar(places, ranked, catalogue)
        const inOrder = groups.places.toSorted(ranked.compare)
        expect(inOrder).toEqual(shown)
        expect(inOrder.map((place) => groups.copies.get(place) ?? 0)).toEqual(counts)
      }
    }
  })
})

describe('a catalogue with changes', () => {
  test('answers everything as one that is built anew, over many revisions', async () => {
    const { random, item } = generator(7)
    const items = new Map(Array.from({ length: 600 }, (_, id) => [String(id), item(id)]))
    let catalogue = await catalogueOf(snapshotOf([...items.values()]))
    // Wanted before: it is brought up to date, not sorted anew.
    await catalogue.sorted('MCP_SERVER', 'NAME')
    let nextId = 600
    for (let number = 1; number <= 12; number += 1) {
      const [changed, removed] = [[] as Item[], [] as string[]]
      for (const id of items.keys()) {
        const chance = random()
        if (chance < 0.03) removed.push(id)
        else if (chance < 0.1) changed.push(item(Number(id)))
      }
      for (let count = 0; count < 20; count += 1) changed.push(item(nextId++))
      // One that comes back under its old row.
      if (number > 3) changed.push(item(3 * number))
      for (const id of removed) items.delete(id)
      for (const one of changed) items.set(one.id, one)
      const next = await changedCatalogue(catalogue, changesOf(changed, removed, number))
      if (!next) throw new Error('Expected the changes to be few.')
      catalogue = next
      const ids = Array.from({ length: nextId }, (_, id) => String(id))
      const anew = await catalogueOf(snapshotOf([...items.values()], number))
      expect(await answersOf(catalogue, ids)).toEqual(await answersOf(anew, ids))
    }
  })

  test('leaves the one before as it was: an operation sees one revision', async () => {
    const { item } = generator(11)
    const items = Array.from({ length: 300 }, (_, id) => item(id))
    const catalogue = await catalogueOf(snapshotOf(items))
    const ids = items.map(({ id }) => id)
    const before = await answersOf(catalogue, ids)
    const changed = Array.from({ length: 90 }, (_, id) => item(id * 3 + 1)).map((one) => ({
      ...one,
      name: 'zebrafish unseen words',
    }))
    const next = await changedCatalogue(catalogue, changesOf(changed, ['0', '6'], 1))
    expect(next?.size).toBe(298)
    expect(await answersOf(catalogue, ids)).toEqual(before)
    const found = (from: Catalogue | null) =>
      from ? matching('zebrafish', from, { argument: 'query', accepts: null }).records.length : -1
    expect([found(catalogue), found(next)]).toEqual([0, 90])
  })

  test('is made in slices of about 100 records, of 5,000 items with 1,000 changes, and when it is built anew', async () => {
    const { item } = generator(5)
    const items = Array.from({ length: 5_000 }, (_, id) => item(id))
    const slices: number[] = []
    const pace = createPace((records) => slices.push(records))
    const catalogue = await catalogueOf(snapshotOf(items), pace)
    const whole = slices.length
    expect(whole).toBeGreaterThan(50)
    await changedCatalogue(
      catalogue,
      changesOf(
        Array.from({ length: 1_000 }, (_, id) => item(id * 2)),
        [],
        1,
      ),
      pace,
    )
    expect(slices.length - whole).toBeGreaterThan(20)
    // A step that is not divided adds at most as much again.
    expect(Math.max(...slices)).toBeLessThan(200)
  })

  test('has lists in which a fifth of 200,000 items took other places, made in slices', async () => {
    const list = Array.from({ length: 200_000 }, (_, index) => index)
    const removed = list.filter((number) => number % 5 === 0)
    const added = removed.map((number) => 199_999.5 - number)
    const slices: number[] = []
    const pace = createPace((records) => slices.push(records))
    const next = await changedList(list, { removed, added }, (number) => [number], pace)
    const wanted = [...list.filter((number) => number % 5 !== 0), ...added].sort((one, other) => one - other)
    expect(next).toEqual(wanted)
    expect(slices.length).toBeGreaterThan(60)
    expect(Math.max(...slices)).toBeLessThan(200)
  })

  test('is not made when most words are of items that are gone: the words of a process do not grow for ever', async () => {
    const { item } = generator(3)
    const wordy = (revision: number): Item => ({
      ...item(1),
      description: Array.from({ length: 5_000 }, (_, word) => `w${revision}x${word}`).join(' '),
    })
    let catalogue = await catalogueOf(snapshotOf([item(0), wordy(0)]))
    let built = 0
    for (let number = 1; number <= 20; number += 1) {
      const changed = await changedCatalogue(catalogue, changesOf([wordy(number)], [], number))
      if (changed === null) built += 1
      catalogue = changed ?? (await catalogueOf(snapshotOf([item(0), wordy(number)], number)))
      expect(catalogue.words.words.length).toBeLessThan(40_000)
    }
    expect(built).toBeGreaterThan(0)
    expect(built).toBeLessThan(6)
  })

  test('is not made of very many changes', async () => {
    const { item } = generator(3)
    const catalogue = await catalogueOf(snapshotOf([item(1)]))
    const many = Array.from({ length: 1_001 }, (_, id) => item(id))
    expect(await changedCatalogue(catalogue, changesOf(many, [], 1))).toBeNull()
  })
})
