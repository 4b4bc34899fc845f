import type { Tables } from '../tables.ts'
import p_4e4c78401e06291f from './p_4e4c78401e06291f.json' with { type: 'json' }

/**
 * Tables of this and earlier versions, by version. Written by `freeze-policy.ts`; nothing here is ever changed. A file whose decisions have all
 * expired may be removed.
 */
export const FROZEN: Readonly<Record<string, Tables>> = {
  p_4e4c78401e06291f: p_4e4c78401e06291f as unknown as Tables,
}
