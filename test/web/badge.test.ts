import { expect, test } from 'vitest'
import type { ItemBadgeFragment } from '#generated/operations.ts'
import { itemBadge } from '../../web/badge/badge.ts'
import { HOSTILE } from './support/site.ts'

const NOW = new Date('2026-11-26T23:59:00Z')
const badgeOf = (level: ItemBadgeFragment['itemTrust']['level'], version: string) =>
  itemBadge(
    {
      __typename: 'McpServer',
      itemTrust: { level, parts: [{ subject: 'PUBLISHER', level: 'GOOD' }] },
      registryEntry: { version },
    } as ItemBadgeFragment,
    NOW,
  )

test('a badge has version, verified publisher and the trust of the item with its day', () => {
  expect(badgeOf('GOOD', '1.2.3')).toContain('<title>on Atrium, v1.2.3, verified publisher, item trust: good, 2026-11-26</title>')
  expect(badgeOf('GOOD', 'v1.2.3')).toContain('<title>on Atrium, v1.2.3, verified')
  for (const none of ['0.0.0', 'latest', 'main'])
    expect(badgeOf('WARNING', none)).toContain('<title>on Atrium, verified publisher, item trust: warning, 2026-11-26</title>')
})

test('parts of a badge stand beside each other, as wide as their texts', () => {
  const widths = [...badgeOf('CAUTION', '1.0').matchAll(/<rect x="(\d+)" width="(\d+)"/g)].map(([, x, width]) => [
    Number(x),
    Number(width),
  ])
  const ends = widths.map(([x = 0, width = 0]) => x + width)
  expect(widths.map(([x]) => x)).toEqual([0, ...ends.slice(0, -1)])
  expect(badgeOf('CAUTION', '1.0')).toContain(`width="${ends.at(-1)}" height="20"`)
  expect(badgeOf('CAUTION', '1.0').length).toBeLessThan(badgeOf('CAUTION', '1.0.100').length + 40)
})

test('a version of a stranger cannot get out of its text, and does not make a badge wide', () => {
  const svg = badgeOf('UNKNOWN', `1${HOSTILE}`)
  expect(svg.match(/<script|<img|onload|onerror/g)).toBeNull()
  expect(svg).toContain('&lt;/script')
  const [, width] = /<svg [^>]*width="(\d+)"/.exec(badgeOf('UNKNOWN', `1${'永'.repeat(100_000)}`)) ?? []
  expect(Number(width)).toBeLessThan(800)
})
