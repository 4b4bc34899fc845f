import { mkdirSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { join } from 'node:path'

/**
 * Enables Node's compile cache in node_modules/.cache/compiled for all modules loaded from now on.
 * Commands take a third less processor time, a full start up to a fifth less. Nothing changes where
 * the folder is not writable or NODE_COMPILE_CACHE names another one. Node's default is the folder
 * for temporary files; it is not used because others could place code there that we would run.
 */
export function enableCompileCache(): void {
  const folder = join(import.meta.dirname, '../../node_modules/.cache/compiled')
  try {
    // Node 24 retries for ever when it cannot create the folder for a reason unknown to it.
    mkdirSync(folder, { recursive: true })
  } catch {
    return
  }
  nodeModule.enableCompileCache(folder)
}
