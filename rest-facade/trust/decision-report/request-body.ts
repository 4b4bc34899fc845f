import { z } from 'zod'
import { enumValue } from '../decision/request-body.ts'

const text = z.string({ error: 'a string' })

/** A report of a decision of the key, or of a target. */
export const decisionReport = z.object(
  {
    decision_id: text.nullish(),
    target: text.nullish(),
    kind: enumValue(['false_positive', 'false_negative']),
    expected_action: enumValue(['proceed', 'proceed_with_caution', 'sandbox', 'escalate_to_human', 'deny']).nullish(),
    text,
  },
  { error: 'an object' },
)
