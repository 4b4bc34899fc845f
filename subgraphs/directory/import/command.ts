/** A word that every POSIX shell reads as itself; null for any other. Hostile text is never quoted into being. */
export function shellWord(text: string): string | null {
  return /^[A-Za-z0-9._@/:=+][A-Za-z0-9._@/:=+-]*$/.test(text) && text.length <= 500 ? text : null
}
