import { type Config, type Variables, wholeNumber } from '../../platform/config/config.ts'

/** As long as the longest month: the scans of unlimited keys are counted by their decisions. */
const MIN_RETENTION_DAYS = 31

/** Variables of the service itself; those of its sources are separate. */
export const trustVariables = {
  TRUST_RATE_FREE: {
    read: wholeNumber(0, 1_000_000),
    default: '600',
    unit: 'questions per minute',
    meaning: 'How fast one key of the free plan may ask, all at once or spread, beside its scans of the month; 0 sets no bound.',
  },
  TRUST_RATE_UNLIMITED: {
    read: wholeNumber(0, 1_000_000),
    default: '0',
    unit: 'questions per minute',
    meaning: 'The same for one key of the unlimited plan; 0 sets no bound.',
  },
  TRUST_RETENTION_DAYS: {
    read: wholeNumber(0, 3_650).refine((days) => days === 0 || days >= MIN_RETENTION_DAYS, `0 or at least ${MIN_RETENTION_DAYS}`),
    default: '90',
    unit: 'days',
    meaning: 'Age at which trust decisions are deleted, with the evidence that they were made from; 0 keeps them for ever.',
  },
} satisfies Variables

export type TrustConfig = Config<typeof trustVariables>
