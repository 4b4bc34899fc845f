import { z } from 'zod'
import { enumValue } from '../decision/request-body.ts'

const text = z.string({ error: 'a string' })

/** A report of a decision of the key. */
export const decisionReport = z.object(
  { decision_id: text, kind: enumValue(['false_positive', 'false_negative']), text },
  { error: 'an object' },
)
