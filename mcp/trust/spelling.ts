/**
 * Codes are capitals in every room; other values are spelled as REST spells them: `READ_ONLY` is
 * `read_only`.
 */
export const spelling = (type: string, value: string): string => (CODES.has(type) ? value : value.toLowerCase())

const CODES: ReadonlySet<string> = new Set(['ReasonCode', 'UncertaintyDriver'])
