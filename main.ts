/**
 * `npm start`: the whole system in one process, or the part of it that ATRIUM_ROLE names. Imports
 * nothing else before the compile cache is enabled: what it imports is compiled again at each start.
 */
import { enableCompileCache } from './platform/process/compile-cache.ts'

enableCompileCache()
await import('./composition/serve.ts')
