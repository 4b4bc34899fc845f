import type { PolicyTables } from '../tables.ts'
import p_2c13e318aaaf6498 from './p_2c13e318aaaf6498.json' with { type: 'json' }
import p_3ec93f07f3c6526f from './p_3ec93f07f3c6526f.json' with { type: 'json' }
import p_4e4c78401e06291f from './p_4e4c78401e06291f.json' with { type: 'json' }
import p_d21dc9f6e238e70d from './p_d21dc9f6e238e70d.json' with { type: 'json' }
import p_e03876f031933287 from './p_e03876f031933287.json' with { type: 'json' }

/**
 * Tables of this and earlier versions, by version. Written by `freeze-policy.ts`; nothing here is ever changed. A file whose decisions have all
 * expired may be removed.
 */
export const FROZEN: Readonly<Record<string, PolicyTables>> = {
  // JSON has no literal types; the digest of each file is tested.
  p_2c13e318aaaf6498: p_2c13e318aaaf6498 as unknown as PolicyTables,
  p_3ec93f07f3c6526f: p_3ec93f07f3c6526f as unknown as PolicyTables,
  p_4e4c78401e06291f: p_4e4c78401e06291f as unknown as PolicyTables,
  p_d21dc9f6e238e70d: p_d21dc9f6e238e70d as unknown as PolicyTables,
  p_e03876f031933287: p_e03876f031933287 as unknown as PolicyTables,
}
