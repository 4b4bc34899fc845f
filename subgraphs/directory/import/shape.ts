/**
 * A value of a file as an object whose fields are read by name; null for anything else, lists
 * included.
 */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | null {
  // An object: checked before it.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null
}

/** A value of a file as a list; empty for anything else. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
