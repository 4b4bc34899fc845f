/** What a text may try to do to a model that reads it. */
export const RISK_CATEGORIES = [
  'instructions',
  'role_markup',
  'tool_syntax',
  'exfiltration_url',
  'homoglyphs',
  'encoded_payload',
  'hidden_text',
] as const
export type RiskCategory = (typeof RISK_CATEGORIES)[number]
