import { expect, test } from 'vitest'
import type { CompareItemsQuery } from '#generated/operations.ts'
import { comparisonForm } from '../../mcp/directory/comparison.ts'

type Item = NonNullable<CompareItemsQuery['directoryItems'][number]>
type Server = Extract<Item, { readonly envVars: unknown }>
type Skill = Extract<Item, { readonly docsUrl: unknown }>

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
const repeated = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** An item whose texts are `length` times a character of two bytes in JSON, and whose lists have as many elements. */
const common = (length: number, count: number) => ({
  id: '1'.repeat(20),
  name: '"'.repeat(length),
  url: `https://atrium.example/mcp/${'o'.repeat(150)}/${'r'.repeat(150)}`,
  category: 'Developer Tools',
  popularity: 2_147_483_647,
  license: 'x'.repeat(120),
  licenseFamily: 'PERMISSIVE' as const,
  updatedAt: '2026-11-26T10:00:00.000Z',
  itemTrust: {
    level: 'WARNING' as const,
    parts: (['PUBLISHER', 'NAMES', 'INSTALLATION', 'MAINTENANCE', 'BEHAVIOR'] as const).map((subject) => ({
      subject,
      level: 'WARNING' as const,
      findings: repeated(count, () => ({ level: 'WARNING' as const, meaning: '"'.repeat(length), detail: null })),
    })),
  },
})

const server = (length: number, count: number): Server => ({
  ...common(length, count),
  kind: 'MCP_SERVER',
  owner: '"'.repeat(length),
  repo: 'r',
  official: true,
  deprecated: true,
  transport: 'streamable-http',
  installCommand: '"'.repeat(length),
  installations: (['stdio', 'sse', 'streamable-http'] as const).map((transport) => ({ command: 'x', transport })),
  envVars: repeated(count * 3, (index) => ({
    name: '"'.repeat(length),
    required: index % 3 > 0,
    secret: index % 3 === 1,
  })),
  toolNames: repeated(count, () => '"'.repeat(length)),
  registryEntry: {
    version: `1${'.0'.repeat(length)}`,
    packages: repeated(count, () => ({ registryType: 'npm', identifier: '"'.repeat(length) })),
  },
  monthlyDownloads: 2_000_000_000,
  publishedPackages: [],
  observedRepository: { archived: true, pushedAt: null },
})

const skill = (address: number): Skill => ({
  ...common(3, 1),
  kind: 'SKILL',
  slug: 's'.repeat(150),
  docsUrl: `https://atrium.example/${'a'.repeat(address)}`,
  installConfigs: [],
})

/** What is answered about four of these items. */
function compared(item: Item) {
  const directoryItems = repeated(4, () => item)
  const content = comparisonForm.content({ directoryItems }, { ids: ['1', '2', '3', '4'] })
  // The tool's own result, of these items.
  return { bytes: bytesOf(content), items: (content as { items: Record<string, unknown>[] }).items }
}

test.each([
  [3, 1],
  [20, 6],
  [100, 3],
  [249, 20],
  [4_000, 200],
])('servers whose texts have %i characters, and lists %i elements, are compared in 8 kB', (length, count) => {
  const { bytes, items } = compared(server(length, count))
  expect(bytes).toBeLessThanOrEqual(8_000)
  expect(items).toHaveLength(4)
})

test.each([100, 1_000, 1_970])('skills whose address has %i characters are compared in 8 kB', (length) => {
  expect(compared(skill(length)).bytes).toBeLessThanOrEqual(8_000)
})

test('of a longer command or address nothing is said, of other texts a part', () => {
  const commandOf = (installCommand: string) => compared({ ...server(3, 1), installCommand }).items[0]?.installCommand
  expect([commandOf('"'.repeat(250)), commandOf('"'.repeat(251))]).toEqual(['"'.repeat(250), null])
  expect(compared(server(300, 1)).items[0]).toMatchObject({ installCommand: null, name: expect.stringMatching(/^"{20,}…$/) })
  expect(compared(skill(100)).items[0]).toMatchObject({ docsUrl: expect.stringMatching(/a$/) })
  expect(compared(skill(1_000)).items[0]).toMatchObject({ docsUrl: null })
})

test('as much is said as fits', () => {
  const toolsOf = (length: number) => compared(server(length, 20)).items.map(({ tools }) => (tools as string[]).length)
  expect([1, 6, 12].map((length) => toolsOf(length)[0])).toEqual([12, 6, 3])
  expect(toolsOf(4_000)).toEqual([0, 0, 0, 0])
})
