import { hash } from 'node:crypto'

/** Names of the statements that connections prepare, by their text. */
const names = new Map<string, string>()

/** How often each insert that is not prepared was sent, by its text. */
const insertCounts = new Map<string, number>()
/** An insert has one plan whatever its values: its text is prepared at the fifth use. */
const INSERT = /^insert into "\w+" \([^()]*\) values /
const PREPARE_AFTER_USES = 5
/** Other row counts are other texts, and each connection keeps all prepared ones: a bound. */
const MAX_COUNTED_INSERTS = 200

/** The name under which connections prepare this text; undefined when they do not prepare it. */
export const preparedName = (text: string): string | undefined =>
  names.get(text) ?? (INSERT.test(text) ? countInsert(text) : undefined)

function countInsert(text: string): string | undefined {
  const uses = (insertCounts.get(text) ?? 0) + 1
  if (uses > 1 || insertCounts.size < MAX_COUNTED_INSERTS) insertCounts.set(text, uses)
  return uses < PREPARE_AFTER_USES ? undefined : registerStatement(text)
}

/** Marks a text as prepared, and returns its name. */
export function registerStatement(text: string): string {
  const name = `atrium_${hash('sha256', text, 'base64url').slice(0, 22)}`
  names.set(text, name)
  return name
}
