import { expect, test } from 'vitest'
import type { DirectoryKind, Item } from '../../../../subgraphs/directory/item/item.ts'
import { type ItemChange, itemNumbers } from '../../../../subgraphs/directory/item/item-numbers.ts'
import { createPace } from '../../../../subgraphs/directory/word-index/pace.ts'
import { randomFrom } from '../random.ts'

const KINDS: readonly DirectoryKind[] = ['MCP_SERVER', 'PLUGIN', 'SKILL']

/** Only what numbers are found by. */
const anItem = (id: number, key: string): Item => ({ id: String(id), kind: KINDS[id % 3], key }) as unknown as Item

/** Everything that a map of texts would find, for all rows and keys that ever were. */
async function expectAsMaps(
  { ofId, ofKey }: Awaited<ReturnType<typeof itemNumbers>>,
  items: readonly (Item | undefined)[],
  known: ReadonlySet<Item>,
): Promise<void> {
  const [ids, keys] = [new Map<string, number>(), new Map<string, number>()]
  for (const [number, item] of items.entries()) {
    if (!item) continue
    ids.set(item.id, number)
    keys.set(`${item.kind} ${item.key.toLowerCase()}`, number)
  }
  const wrong = [...known].filter(
    ({ id, kind, key }) =>
      ofId(id, items) !== ids.get(id) ||
      ofKey(kind, key.toUpperCase(), items) !== keys.get(`${kind} ${key.toUpperCase().toLowerCase()}`),
  )
  expect(wrong).toEqual([])
}

test('numbers of items are found by row and key over many versions, also when tables are made anew', async () => {
  const random = randomFrom(5)
  const below = (limit: number): number => Math.floor(random() * limit)
  const pace = createPace()
  let items: readonly (Item | undefined)[] = Array.from({ length: 3_000 }, (_, id) => anItem(id, `Ówner/Repo-${id}`))
  const known = new Set<Item>(items.flatMap((item) => item ?? []))
  let numbers = await itemNumbers(items, pace)
  await expectAsMaps(numbers, items, known)
  for (let version = 0; version < 8; version += 1) {
    const next = [...items]
    const changes = new Map<number, ItemChange>()
    for (let change = 0; change < 1_200; change += 1) {
      const number = below(next.length + 20)
      if (changes.has(number)) continue
      const before = items[number] ?? null
      // Gone, of another key, another row in its place, or as it was.
      const id = random() < 0.7 && before ? Number(before.id) : 10_000 * (version + 1) + change
      const key = random() < 0.5 && before ? before.key : `ówner/new-${version}-${change}`
      const after = random() < 0.3 ? null : anItem(id, key)
      changes.set(number, { before, after })
      next[number] = after ?? undefined
      if (after) known.add(after)
    }
    const earlier = { numbers, items }
    numbers = await numbers.with(changes, next, pace)
    items = next
    await expectAsMaps(numbers, items, known)
    await expectAsMaps(earlier.numbers, earlier.items, known)
  }
})
