/**
 * Codes of reasons and drivers stay in capitals; other enum values get the REST API's lower case:
 * `READ_ONLY` becomes `read_only`.
 */
export const spelling = (type: string, value: string): string => (CODES.has(type) ? value : value.toLowerCase())

const CODES: ReadonlySet<string> = new Set(['ReasonCode', 'UncertaintyDriver'])
