import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'

/** Something that happened to an order. */
export type OrderHistoryEntry = {
  readonly id: number
  readonly orderId: number
  readonly message: string
  /** JSON; null without. */
  readonly log: unknown
  readonly createdAt: Date
}

const MAX_MESSAGE_LENGTH = 2_000
/** Characters as JSON. */
const MAX_LOG_LENGTH = 10_000
/** Text that PostgreSQL does not keep, as JSON spells it. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/i

/** Problems of a new entry. */
export const historyProblems = ({ message, log }: { readonly message: string; readonly log?: unknown }): readonly Problem[] =>
  problemsIn([textProblem('message', message, MAX_MESSAGE_LENGTH), log == null ? null : logProblem(log)])

function logProblem(log: unknown): Problem | null {
  if (typeof log !== 'object' || Array.isArray(log)) return problem('log', 'an object', Array.isArray(log) ? 'a list' : log)
  const text = JSON.stringify(log)
  if (text.length > MAX_LOG_LENGTH)
    return problem('log', `at most ${MAX_LOG_LENGTH} characters as JSON`, `${text.length} characters`)
  // Well-formed halves of pairs are written as they are: only lone ones are spelled.
  return UNSTORABLE.test(text) ? problem('log', 'without NUL characters and unpaired surrogates', 'one') : null
}
