import type { ParameterValue } from './parameters.ts'
import type { Paging } from './route.ts'

/**
 * Elements of a Link header (RFC 8288) for the next and the previous page; empty when there are
 * none.
 */
export function pageLinks(
  address: string,
  query: Readonly<Record<string, ParameterValue>>,
  { limit, offset }: Paging,
  total: number,
): string[] {
  const links: string[] = []
  if (offset + limit < total) links.push(link(address, { ...query, offset: offset + limit }, 'next'))
  // Beyond the end, `prev` is the last page that has items.
  if (offset > 0) links.push(link(address, { ...query, offset: Math.max(0, Math.min(offset, total) - limit) }, 'prev'))
  return links
}

function link(address: string, query: Readonly<Record<string, ParameterValue>>, relation: string): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => `${name}=${encodeURIComponent(each)}`),
  )
  return `<${address}?${pairs.join('&')}>; rel="${relation}"`
}
