import { type Variables, wholeNumber } from '../../platform/config/config.ts'

/**
 * The largest post: 50,000 characters of up to three bytes in UTF-8 (four for two of them), and a
 * title.
 */
const MAX_POST_BYTES = 151_000

/** Variables of what people write. */
export const socialVariables = {
  // Two a second for a whole minute: more than a person types, and enough for an agent in several
  // rooms.
  USER_WRITES_PER_MINUTE: {
    read: wholeNumber(0, 1_000_000),
    default: '120',
    unit: 'writes per minute',
    meaning:
      'Posts, collections, changes of both, likes, comments, messages, rooms and invitations of one user, all at once or spread; 0 sets no bound.',
  },
  // Sixty of the largest posts, or two novels, a day.
  USER_BYTES_PER_DAY: {
    read: wholeNumber(0, 999_999_999).refine(
      (bytes) => bytes === 0 || bytes >= MAX_POST_BYTES,
      `0 or at least ${MAX_POST_BYTES}, one post`,
    ),
    default: '10000000',
    unit: 'bytes per day',
    meaning: 'Text, in UTF-8, that one user may write with them in 24 hours; 0 sets no bound.',
  },
} satisfies Variables
