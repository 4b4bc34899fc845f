/** The parameters that every list of the directory has; their ranges are part of the contract. */
export const listParameters = {
  limit: { kind: 'integer', min: 1, max: 100, default: 20 },
  // The largest Int of GraphQL: far behind the end of any list, which is an empty page and not an error.
  offset: { kind: 'integer', min: 0, max: 2_147_483_647, default: 0 },
} as const

/** Words to look for, as long as the graph takes them. */
export const words = { kind: 'text', max: 200 } as const

/** A value that must be met exactly; one that nothing has is an empty list. */
export const exactly = { kind: 'text', max: 200 } as const
