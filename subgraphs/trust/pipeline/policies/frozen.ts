import type { Tables } from '../tables.ts'

/** Tables of earlier versions, by version. `freeze.ts` writes this file and the JSON beside it; nothing here is ever changed or removed. */
export const FROZEN: Readonly<Record<string, Tables>> = {}
