import { describe, expect, test } from 'vitest'
import { type Catalogue, catalogueOf, changedCatalogue } from '../../../../subgraphs/directory/item/catalogue.ts'
import type { Item } from '../../../../subgraphs/directory/item/item.ts'
import { groupSimilar } from '../../../../subgraphs/directory/item/similar.ts'
import { sortOrder } from '../../../../subgraphs/directory/item/sort.ts'
import { matching, placesIn } from '../../../../subgraphs/directory/search/matching.ts'
import { rankedPage, ranking, rankingBy } from '../../../../subgraphs/directory/search/ranking.ts'
import { createPace } from '../../../../subgraphs/directory/word-index/pace.ts'
import { changedList } from '../../../../subgraphs/directory/word-index/sorted-list.ts'
import { comparePositions } from '../../../../subgraphs/toolkit/connection.ts'
import { answersOf, changesOf, generator, SAMPLE_QUERIES, snapshotOf } from '../catalogue-answers.ts'

describe('pages of a search', () => {
  test('are cut from the order of all results, and groups stand where their first one does', async () => {
    const { item } = generator(13)
    const catalogue = await catalogueOf(snapshotOf(Array.from({ length: 900 }, (_, id) => item(id))))
    for (const query of [...SAMPLE_QUERIES, 'authors', 'One description that several']) {
      const found = matching(query, catalogue, { argument: 'query', accepts: null })
      for (const ranked of [
        ranking(found, catalogue),
        ranking(found, catalogue, { byStars: true }),
        rankingBy(found, catalogue, sortOrder('search', 'NAME')),
      ]) {
        const places = placesIn(found)
        const { positionOf } = ranked.order
        const sorted = places.toSorted((one, other) => comparePositions(positionOf(one), positionOf(other)))
        const cut = rankedPage(places, ranked, { first: 25, offset: 3 })
        expect(cut.edges.map(({ node }) => node)).toEqual([...sorted.slice(3, 28)])
        const next = rankedPage(places, ranked, { first: 25, after: cut.pageInfo.endCursor })
        expect(next.edges.map(({ node }) => node)).toEqual([...sorted.slice(28, 53)])
        expect(next.pageInfo.hasNextPage).toBe(sorted.length > 53)
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
        expect([...inOrder]).toEqual(shown)
        expect(Array.from(inOrder, (place) => groups.copies[place])).toEqual(counts)
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
