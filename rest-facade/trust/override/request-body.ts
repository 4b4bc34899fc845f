import { z } from 'zod'
import { enumValue } from '../decision/request-body.ts'

const text = z.string({ error: 'a string' })
const INSTANT = 'a time such as 2026-11-20T09:30:00Z, or null'

const decided = {
  action: enumValue(['proceed', 'proceed_with_caution', 'sandbox', 'escalate_to_human', 'deny']),
  reason: text,
  expires_at: z.iso
    .datetime({ offset: true, error: INSTANT })
    .nullish()
    .transform((time) => time ?? null),
}

/** An override of the host in the path. */
export const override = z.object(decided, { error: 'an object' })

/** An override with its host. */
export const namedOverride = z.object({ host: text, ...decided }, { error: 'an object' })
