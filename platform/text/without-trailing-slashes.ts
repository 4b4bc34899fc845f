/** A URL or path without slashes at its end, in linear time; `/` and `//` are empty. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === '/') end--
  return text.slice(0, end)
}
