import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/**
 * Files that share a process, and what it has loaded: they replace nothing in it for good, and
 * measure neither its memory nor its start.
 */
const SHARED = [
  'test/mcp/**/*.test.ts',
  'test/rest-facade/**/*.test.ts',
  'test/schema/**/*.test.ts',
  'test/subgraphs/{directory,social,store,trust}/**/*.test.ts',
]

export default defineConfig({
  resolve: {
    // Apollo loads graphql/index.js; a second copy of graphql in one process refuses the first
    // one's schemas.
    alias: [{ find: /^graphql$/, replacement: fileURLToPath(new URL('node_modules/graphql/index.js', import.meta.url)) }],
  },
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/total.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // By default a second, in which a busy machine may not have answered once.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      { extends: true, test: { name: 'isolated', include: ['test/**/*.test.ts'], exclude: SHARED, isolate: true } },
      // Loading the graph takes a second of processor time, which a process of its own for each
      // file would repeat.
      { extends: true, test: { name: 'shared', include: SHARED, isolate: false } },
    ],
  },
})
