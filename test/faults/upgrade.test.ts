import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../cluster/support.ts'
import { isLong, underLoad } from './support/fault.ts'
import { hostsMissing, startMachines } from './support/hosts/machines.ts'
import { SYNCHRONOUS } from './support/hosts/postgres.ts'
import { checkOutPreviousRelease } from './support/hosts/previous-release.ts'
import { rowsOf } from './support/kinds.ts'

const migrationsOf = async (databaseUrl: string): Promise<readonly string[]> => {
  const rows = await rowsOf<{ readonly name: string }>(
    databaseUrl,
    ['directory', 'social', 'store', 'trust']
      .map((schema) => `SELECT '${schema}/' || migration_name AS name FROM ${schema}._prisma_migrations`)
      .join(' UNION ALL '),
  )
  return rows.map(({ name }) => name)
}

describe.skipIf(hostsMissing || !isLong)('a rolling upgrade from the release before the last change of the data model', () => {
  test('refuses no request, and loses and duplicates no write, while both releases run on the new data model', {
    timeout: 900_000,
  }, async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-release-'))
    try {
      const root = join(folder, 'previous')
      const { missing } = checkOutPreviousRelease(root)
      const machines = await startMachines({ copies: 2, replicas: 2, databaseSettings: SYNCHRONOUS, root })
      try {
        const before = await migrationsOf(machines.databaseUrl)
        expect(before.filter((name) => missing.includes(name))).toEqual([])
        // A free key has fewer scans than the upgrade has seconds.
        const kinds = () => machines.kinds('unlimited')
        const findings = await underLoad(context, { kinds }, () => machines.roll(ROOT))
        const after = await migrationsOf(machines.databaseUrl)
        expect(after.filter((name) => !before.includes(name)).sort()).toEqual(missing.toSorted())
        expect(findings.flatMap(({ failures }) => failures)).toEqual([])
      } finally {
        await machines.close()
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
