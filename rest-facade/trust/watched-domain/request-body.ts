import { z } from 'zod'

const text = z.string({ error: 'a string' })

/** A domain to watch. */
export const watchRequest = z.object(
  { domain: text, webhook_url: text.nullish().transform((url) => url ?? null) },
  { error: 'an object' },
)
