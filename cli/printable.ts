/**
 * Text of strangers for a terminal, without signs that move its cursor, change its state or turn
 * text around.
 */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
