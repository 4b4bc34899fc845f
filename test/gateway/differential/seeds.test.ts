import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operationOf } from './generator.ts'
import { type Finding, findingsOf } from './random-operation.ts'
import { REGRESSION_SEEDS } from './regression-seeds.ts'
import { shrunk } from './shrink.ts'
import type { Case } from './small-graph.ts'
import { startWorld, WORLDS, type World } from './worlds.ts'

/** How many operations in all; `SEEDS=50000` for a long run, `SEED=123` for one alone. */
const [COUNT, ONE] = [Number(process.env.SEEDS ?? 500), process.env.SEED]

/** Seeds of each world: every third is of our own graph. */
const seedsOf = (index: number) =>
  Array.from({ length: COUNT }, (_, seed) => seed).filter((seed) => {
    if (ONE !== undefined && seed !== Number(ONE)) return false
    const own = WORLDS.length - 1
    return index === (seed % 3 === 0 ? own : seed % own)
  })

describe.each(WORLDS.map((world, index) => ({ ...world, index })))('$name', ({ index, ...definition }) => {
  let world: World | null = null
  beforeAll(async () => {
    world = await startWorld(definition)
  })
  afterAll(() => world?.oracle.stop())

  async function wrong(operation: Case, isFaulty: boolean): Promise<readonly Finding[]> {
    if (!world) throw new Error('Expected the world to have started.')
    return findingsOf(operation, world, isFaulty)
  }

  test.each(REGRESSION_SEEDS.filter(({ graph }) => graph === definition.name))(
    'kept: $why',
    async ({ isFaulty = false, why, ...operation }) => {
      expect(await wrong({ name: why, ...operation }, isFaulty)).toEqual([])
    },
  )

  test('random operations', { timeout: 3_600_000 }, async () => {
    if (!world) throw new Error('Expected the world to have started.')
    const { api, universe } = world
    for (const seed of seedsOf(index)) {
      const operation = operationOf(seed, { api, ...universe })
      const isFaulty = seed % 4 === 1
      if ((await wrong(operation, isFaulty)).length === 0) continue
      const small = await shrunk(operation, api, async (candidate) => (await wrong(candidate, isFaulty)).length > 0)
      const [finding] = await wrong(small, isFaulty)
      const which = `seed ${seed} (${definition.name}${isFaulty ? ', with faults' : ''})`
      expect.fail(`${which}\n${small.query}\n${JSON.stringify(small.variables)}\n${JSON.stringify(finding)}`)
    }
  })
})
