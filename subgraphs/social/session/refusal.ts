/** An `AccountLocked` of the schema. */
export const accountLocked = (unlockAt: Date) => ({
  __typename: 'AccountLocked' as const,
  message: `Too many wrong passwords for this address: try again after ${unlockAt.toISOString()}.`,
  unlockAt,
})
