import { z } from 'zod'
import { enumValue } from '../decision/request-body.ts'

/** As many as the mutation takes; a body is smaller anyway. */
const MAX_ENTRIES = 500
const text = z.string({ error: 'a string' })
const INSTANT = 'a time such as 2026-11-20T09:30:00Z, or null'

const entry = z.object(
  {
    target: text,
    scope: enumValue(['domain', 'host', 'url', 'prefix'])
      .nullish()
      .transform((scope) => scope ?? null),
    reason: text,
    expires_at: z.iso
      .datetime({ offset: true, error: INSTANT })
      .nullish()
      .transform((time) => time ?? null),
  },
  { error: 'an object' },
)

/** Entries to add to a list. */
export const listEntries = z.object(
  {
    list: enumValue(['block', 'allow', 'brand']),
    entries: z
      .array(entry, { error: 'a list' })
      .min(1, `1 to ${MAX_ENTRIES} entries`)
      .max(MAX_ENTRIES, `1 to ${MAX_ENTRIES} entries`),
  },
  { error: 'an object' },
)
