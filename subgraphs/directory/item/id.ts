import type { DirectoryKind } from './item.ts'

const TYPES: Readonly<Record<DirectoryKind, string>> = { MCP_SERVER: 'McpServer', PLUGIN: 'Plugin', SKILL: 'Skill' }

/** The opaque id that clients see, made from kind and row id. */
export const idOf = ({ kind, id }: { readonly kind: DirectoryKind; readonly id: string }): string =>
  Buffer.from(`${TYPES[kind]}:${id}`).toString('base64url')

/** The row id inside an opaque id of this kind; null when it is none. */
export function rowIdIn(id: string, kind: DirectoryKind): string | null {
  const [type, row, ...rest] = Buffer.from(id, 'base64url').toString().split(':')
  return type === TYPES[kind] && row !== undefined && /^\d{1,19}$/.test(row) && rest.length === 0 ? row : null
}
