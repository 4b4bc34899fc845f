import { decodeId, encodeId } from '../../toolkit/ids.ts'
import type { DirectoryKind } from './item.ts'

const TYPES: Readonly<Record<DirectoryKind, string>> = { MCP_SERVER: 'McpServer', PLUGIN: 'Plugin', SKILL: 'Skill' }

/** The opaque id that clients see, made from kind and row id. */
export const idOf = ({ kind, id }: { readonly kind: DirectoryKind; readonly id: string }): string => encodeId(TYPES[kind], id)

/** The row id inside an opaque id of this kind; null when it is none. */
export const rowIdIn = (id: string, kind: DirectoryKind): string | null => decodeId(id, TYPES[kind])
