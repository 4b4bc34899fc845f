import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** Imports of values, which load a module; `import type` does not. */
const STATIC = /^(?:import|export) (?!type )(?:[^'";]*? from )?'([^']+)'/gm
const DYNAMIC = /\bimport\('([^']+)'\)/g

const namesIn = (file: string, pattern: RegExp): readonly string[] =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(pattern)].map(([, name = '']) => name)

/** What a start of everything loads: our files, and packages as they are named where they are imported. */
function loadedByStart(): { readonly files: ReadonlySet<string>; readonly packages: ReadonlySet<string> } {
  const files = new Set<string>()
  const packages = new Set<string>()
  const load = (file: string, names: readonly string[]) => {
    if (files.has(file)) return
    files.add(file)
    for (const name of names) {
      if (!name.startsWith('.')) packages.add(name)
      else if (name.endsWith('.ts')) {
        const target = relative(ROOT, join(ROOT, dirname(file), name))
        load(target, namesIn(target, STATIC))
      }
    }
  }
  const root = 'composition/serve.ts'
  // Its parts are imported while the database starts; the other roles are not.
  const parts = namesIn(root, DYNAMIC).filter((name) => !/subgraph-process|remote-subgraphs/.test(name))
  load(root, [...namesIn(root, STATIC), ...parts])
  return { files, packages }
}

const { files, packages } = loadedByStart()

test('the graph of what a start loads is read', () => {
  expect(files.size).toBeGreaterThan(800)
  expect([...files]).toEqual(
    expect.arrayContaining(['gateway/gateway.ts', 'mcp/serve.ts', 'web/serve.ts', 'subgraphs/store/subgraph.ts']),
  )
  expect([...packages]).toEqual(expect.arrayContaining(['fastify', 'graphql', 'kysely', 'zod']))
})

test.each([
  ['yaml', 'skills and imports are read later'],
  ['@modelcontextprotocol/server', 'agents come later'],
  ['@apollo/query-planner', 'plans are stored'],
  ['@apollo/subgraph', 'its entry loads what prints schemas'],
  ['undici', 'collectors and webhooks come later'],
  ['stripe', 'only payments through Stripe need it'],
  ['undici/index.js', 'subgraphs are in this process'],
  ['file-type', 'files are uploaded later'],
  ['nodemailer', 'e-mails are sent later'],
])('a start does without %s: %s', (name) => {
  expect([...packages]).not.toContain(name)
})

test('a start does without connections of undici: collectors, webhooks and remote subgraphs come later', () => {
  expect([...files]).not.toContain('platform/outbound/undici.ts')
})

test('main.ts imports nothing but the compile cache before it is enabled: Node would compile it at each start', () => {
  expect(namesIn('main.ts', STATIC)).toEqual(['./platform/process/compile-cache.ts'])
  expect(namesIn('platform/process/compile-cache.ts', STATIC).filter((name) => !name.startsWith('node:'))).toEqual([])
})
