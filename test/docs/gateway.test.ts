import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as apollo from '../../gateway/apollo/atrium-gateway.ts'
import * as main from '../../gateway/library/create-gateway.ts'
import * as server from '../../gateway/library/serve-gateway.ts'
import * as composition from '../../gateway/planning/composition.ts'
import { variables } from '../../gateway/standalone/config.ts'
import * as config from '../../gateway/standalone/define-config.ts'

const ROOT = join(import.meta.dirname, '../..')
const page = readFileSync(join(ROOT, 'docs/gateway.md'), 'utf8')
const readme = readFileSync(join(ROOT, 'gateway/README.md'), 'utf8')

const ENTRIES: Readonly<Record<string, object>> = {
  '@atrium/gateway': main,
  '@atrium/gateway/apollo': apollo,
  '@atrium/gateway/composition': composition,
  '@atrium/gateway/config': config,
  '@atrium/gateway/server': server,
}

test('settings of the last column are settings of the gateway', () => {
  const tables = page.slice(page.indexOf('## From Apollo Router'))
  const cells = [...tables.matchAll(/^\|.*\|\s*([^|]+?)\s*\|$/gm)].map(([, cell = '']) => cell)
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name = '']) => name))
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((name) => !(name in variables))).toEqual([])
})

test.each([
  ['docs/gateway.md', page],
  ['gateway/README.md', readme],
])('what %s imports is exported', (_, text) => {
  const imports = [...text.matchAll(/import \{ ([^}]+) \} from '(@atrium\/gateway[^']*)'/g)]
  expect(imports.length).toBeGreaterThan(2)
  for (const [, names = '', entry = ''] of imports) {
    expect(Object.keys(ENTRIES[entry] ?? {}), entry).toEqual(expect.arrayContaining(names.split(', ')))
  }
})

test('the table of entries in the README is that of the package', () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'gateway/package.json'), 'utf8')) as { exports: Record<string, unknown> }
  const rows = [...readme.matchAll(/^\| `(@atrium\/gateway[^`]*)` \| (.*) \|$/gm)]
  expect(rows.map(([, entry]) => entry).sort()).toEqual(Object.keys(ENTRIES))
  const entries = Object.keys(exports).filter((entry) => !entry.endsWith('.json'))
  expect(entries.map((entry) => entry.replace(/^\./, '@atrium/gateway')).sort()).toEqual(Object.keys(ENTRIES))
  for (const [, entry = '', names = ''] of rows) {
    expect(names.replaceAll('`', '').split(', ').sort()).toEqual(Object.keys(ENTRIES[entry] ?? {}).sort())
  }
})
