import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The OpenAPI document of the store, as clients get it, except for the address of this
 * installation.
 */
export const publishedContract = (): object => JSON.parse(readFileSync(join(import.meta.dirname, 'openapi.json'), 'utf8'))
