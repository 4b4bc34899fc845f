import type { SkillSource } from '#generated/operations.ts'

/** How REST spells the graph's SkillSource. */
export const SPELLING: Readonly<Record<SkillSource, 'built-in' | 'optional' | 'community' | 'plugin' | 'mcp'>> = {
  BUILT_IN: 'built-in',
  OPTIONAL: 'optional',
  COMMUNITY: 'community',
  PLUGIN: 'plugin',
  MCP: 'mcp',
}

/** And back. */
export const MEANING = {
  'built-in': 'BUILT_IN',
  optional: 'OPTIONAL',
  community: 'COMMUNITY',
  plugin: 'PLUGIN',
  mcp: 'MCP',
} as const satisfies Readonly<Record<(typeof SPELLING)[SkillSource], SkillSource>>
