import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * Apollo's planner: 100 modules, which a start with stored plans does without. By `require`, because
 * planning is synchronous; the library is CommonJS, so that it is loaded once all the same.
 */
export const plannerLibrary = (): typeof import('@apollo/query-planner') => require('@apollo/query-planner')
