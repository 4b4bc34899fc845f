import type { DirectoryKind } from '#generated/operations.ts'
import { keysOf } from '../../platform/collections/keys-of.ts'

type KindLabels = { readonly one: string; readonly many: string; readonly parameter: string }

/**
 * What people call the kinds, in the order in which they are listed, and how addresses spell them.
 */
export const KIND_LABELS: Readonly<Record<DirectoryKind, KindLabels>> = {
  MCP_SERVER: { one: 'MCP server', many: 'MCP servers', parameter: 'mcp' },
  PLUGIN: { one: 'Plugin', many: 'Plugins', parameter: 'plugin' },
  SKILL: { one: 'Skill', many: 'Skills', parameter: 'skill' },
}

export const KIND_PARAMETERS = Object.values(KIND_LABELS).map(({ parameter }) => parameter)

/** The kind that an address spells so. */
export function kindOf(parameter: string): DirectoryKind {
  for (const kind of keysOf(KIND_LABELS)) if (KIND_LABELS[kind].parameter === parameter) return kind
  throw new RangeError(`Expected one of ${KIND_PARAMETERS.join(', ')}, got ${parameter}.`)
}
