import { badInput } from '../../platform/graphql/errors.ts'
import { isText } from '../toolkit/validation.ts'
import { textKey } from './text-key.ts'

/**
 * Sizes of pages of the store's lists: as the REST API has them by default, and at most what
 * GraphQL clients of shops are used to.
 */
export const LIST_SIZES = { usual: 50, max: 250 } as const

const MAX_SEARCH_LENGTH = 200
const MAX_WORDS = 10

/**
 * The words of a search text, in the form of search keys; none for a blank text. Throws
 * BAD_USER_INPUT for invalid or too long text.
 */
export function searchWords(argument: string, text: string): readonly string[] {
  if (text.length > MAX_SEARCH_LENGTH || !isText(text))
    throw badInput(argument, `text of at most ${MAX_SEARCH_LENGTH} characters`, text)
  const words = textKey(text)
    .split(' ')
    .filter((word) => word !== '')
  return words.slice(0, MAX_WORDS)
}
