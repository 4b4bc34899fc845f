import type { Paging } from './facade.ts'
import type { Value } from './parameters.ts'

/** Values of a Link header that lead to the pages before and behind this one; empty when there are none. */
export function pageLinks(
  address: string,
  query: Readonly<Record<string, Value>>,
  { limit, offset }: Paging,
  total: number,
): string[] {
  const links: string[] = []
  if (offset + limit < total) links.push(link(address, { ...query, offset: offset + limit }, 'next'))
  // From far behind the end, the way back leads to the last items and not through empty pages.
  if (offset > 0) links.push(link(address, { ...query, offset: Math.max(0, Math.min(offset, total) - limit) }, 'prev'))
  return links
}

function link(address: string, query: Readonly<Record<string, Value>>, relation: string): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === null ? [] : [`${name}=${encodeURIComponent(value)}`]))
  return `<${address}?${pairs.join('&')}>; rel="${relation}"`
}
