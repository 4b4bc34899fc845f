import type { SkillSource } from '#generated/operations.ts'

/** REST's values of the enum SkillSource. */
export const REST_SOURCES: Readonly<Record<SkillSource, 'built-in' | 'optional' | 'community' | 'plugin' | 'mcp'>> = {
  BUILT_IN: 'built-in',
  OPTIONAL: 'optional',
  COMMUNITY: 'community',
  PLUGIN: 'plugin',
  MCP: 'mcp',
}

/** The enum values of REST's. */
export const SOURCE_NAMES = {
  'built-in': 'BUILT_IN',
  optional: 'OPTIONAL',
  community: 'COMMUNITY',
  plugin: 'PLUGIN',
  mcp: 'MCP',
} as const satisfies Readonly<Record<(typeof REST_SOURCES)[SkillSource], SkillSource>>
