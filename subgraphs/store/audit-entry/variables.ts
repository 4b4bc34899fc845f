import { type Variables, wholeNumber } from '../../../platform/config/config.ts'

/** Variables of the audit logs of stores. */
export const auditVariables = {
  STORE_AUDIT_DAYS: {
    read: wholeNumber(1, 3_650),
    default: '365',
    unit: 'days',
    meaning: 'Time that the audit log of a store keeps who changed what.',
  },
} satisfies Variables

export const DEFAULT_AUDIT_DAYS = 365
