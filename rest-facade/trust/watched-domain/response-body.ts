import type { WireVerdictFragment } from '#generated/operations.ts'
import { lowerCase } from '../../../platform/text/case.ts'

/** The result of an assessment in short. */
export const verdictBody = ({ action, trustScore, threatScore, deviationScore, reason_codes }: WireVerdictFragment) => ({
  action: lowerCase(action),
  scores: { trust: trustScore, threat: threatScore, deviation: deviationScore },
  reason_codes,
})
