import { describe, expect, test } from 'vitest'
import { facet, facetAt } from '../../../../subgraphs/directory/item/facets.ts'
import { placesWith, valueColumn } from '../../../../subgraphs/directory/item/value-column.ts'
import { randomFrom } from '../random.ts'

type Thing = { readonly tags: readonly string[]; readonly kind: string }
const tagsOf = ({ tags }: Thing) => tags
/** One or none. */
const firstTagOf = ({ tags }: Thing) => tags.slice(0, 1)
const kindOf = ({ kind }: Thing) => [kind]

describe('a list with columns', () => {
  test('is filtered and counted as its items are, also where an item has a value twice or none', async () => {
    const random = randomFrom(23)
    const pick = (count: number) => `v${Math.floor(random() * count)}`
    for (const size of [0, 1, 700]) {
      const list = Array.from({ length: size }, (): Thing => {
        const tags = Array.from({ length: Math.floor(random() * 5) }, () => pick(40))
        return { tags: random() < 0.1 ? [...tags, ...tags] : tags, kind: pick(3) }
      })
      for (const [tag, kind] of [
        ['v1', 'v0'],
        ['v39', 'v2'],
        ['none', 'v1'],
        ['constructor', '__proto__'],
      ] as const) {
        const withTag = placesWith(await valueColumn(list, tagsOf), tag, null)
        const places = placesWith(await valueColumn(list, kindOf), kind, withTag)
        const wanted = list.filter((thing) => thing.tags.includes(tag) && thing.kind === kind)
        expect(Array.from(places, (place) => list[place])).toEqual(wanted)
        const first = placesWith(await valueColumn(list, firstTagOf), tag, null)
        expect(Array.from(first, (place) => list[place])).toEqual(list.filter(({ tags }) => tags[0] === tag))
        for (const max of [3, 1_000]) {
          expect(await facetAt(list, places, tagsOf, max)).toEqual(await facet([...wanted], tagsOf, max))
          expect(await facetAt(list, withTag, kindOf, max)).toEqual(
            await facet(
              list.filter((thing) => thing.tags.includes(tag)),
              kindOf,
              max,
            ),
          )
        }
      }
    }
  })

  test('is read once for a list and a reader, whatever is counts of it', async () => {
    let reads = 0
    const counted = (thing: Thing) => {
      reads += 1
      return thing.tags
    }
    const list = Array.from({ length: 30 }, (_, at): Thing => ({ tags: [`v${at % 4}`], kind: 'v0' }))
    const counts = Array.from({ length: 8 }, async (_, at) => placesWith(await valueColumn(list, counted), `v${at}`, null).length)
    expect(await Promise.all(counts)).toEqual([8, 8, 7, 7, 0, 0, 0, 0])
    expect(reads).toBe(30)
  })
})
