import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL server of this test run, as a URL of a database on it; the user may create databases. */
    databaseUrl: string
  }
}

/** Runs once around all test files: one database server for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const configured = process.env.DATABASE_URL
  if (!configured) throw new Error('Expected DATABASE_URL to name a PostgreSQL server for the tests.')
  project.provide('databaseUrl', configured)
  return async () => {}
}
