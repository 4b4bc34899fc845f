import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * Loads Apollo's planner on demand: a start with stored plans does not need its 100 modules.
 * `require`, because planning is synchronous; the library is CommonJS, so it is never loaded twice.
 */
export const plannerLibrary = (): typeof import('@apollo/query-planner') => require('@apollo/query-planner')

/** Loads Apollo's model of supergraphs on demand: a start with a stored schema does without. */
export const federationLibrary = (): typeof import('@apollo/federation-internals') => require('@apollo/federation-internals')
