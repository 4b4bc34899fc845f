import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongFilesFirst } from './test/support/long-files-first.ts'

/**
 * Files with a process of their own. All others share processes and the modules that these have
 * loaded, which a file of its own would load again: about a second of processor time.
 */
const ISOLATED = [
  // Measure their own process: its event loop, its answers in time, what V8 makes of its objects.
  'test/faults/**/*.test.ts',
  'test/gateway/abuse.test.ts',
  'test/gateway/executor/response-object.test.ts',
  'test/platform/http/load.test.ts',
  // Replace something that the whole process has: a module, a clock, listeners of Node.
  'test/gateway/caching/caching.test.ts',
  'test/gateway/executor/graphql/compile-operation.test.ts',
  'test/platform/database/batch-statements.test.ts',
  'test/platform/events/event-feed.test.ts',
  'test/security/log-in.test.ts',
  // Load the reference gateway, which changes settings of the process, and are made of seconds of
  // work on it.
  'test/gateway/apollo/**/*.test.ts',
  'test/gateway/contract/**/*.test.ts',
  'test/gateway/differential/**/*.test.ts',
]

// Workers inherit it: loading packages takes a third less where their compiled code is kept.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // `npm run test:times` prints the files that took the most processor time.
    setupFiles: ['test/support/nothing-running.ts', ...(process.env.TEST_TIMES ? ['test/support/cpu-time.ts'] : [])],
    reporters: ['default', ...(process.env.TEST_TIMES ? ['./test/support/times.ts'] : []), './test/support/total.ts'],
    // Node loads our modules itself, as it does in production. In those that Vite rewrites each use of
    // an import looks it up in an object, and nothing compiled of them is kept.
    experimental: { viteModuleRunner: false },
    pool: 'forks',
    // One more than the two processors of CI: tests wait now and then, for time to pass or a disk.
    maxWorkers: 3,
    sequence: { sequencer: LongFilesFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // By default a second, in which a busy machine may not have answered once.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      { extends: true, test: { name: 'isolated', include: ISOLATED, isolate: true } },
      { extends: true, test: { name: 'shared', include: ['test/**/*.test.ts'], exclude: ISOLATED, isolate: false } },
    ],
  },
})
