import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { variables } from '../config.ts'
import { variables as gatewayVariables } from '../gateway/config.ts'
import type { Variables } from '../subgraphs/runtime/config.ts'

const ROOT = join(import.meta.dirname, '..')
const operations = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8')

const rowsOf = (table: Variables) =>
  Object.entries(table).map(
    ([name, { default: value, unit, meaning }]) =>
      `| \`${name}\` | ${value === null ? 'unset' : `\`${value}\``} | ${unit ?? '–'} | ${meaning} |`,
  )
const section = (title: string) =>
  operations.split('\n## ').find((part) => part.startsWith(title) || part.includes(`\n## ${title}`)) ?? ''
const tableIn = (title: string) =>
  section(title)
    .split('\n')
    .filter((line) => line.startsWith('| `'))

test('docs/operations.md lists the variables of `npm start` as the program knows them', () => {
  expect(tableIn('`npm start`')).toEqual(rowsOf(variables))
})

test('docs/operations.md lists the variables of the gateway by itself as the program knows them', () => {
  expect(tableIn('`node gateway/main.ts`')).toEqual(rowsOf(gatewayVariables))
})
