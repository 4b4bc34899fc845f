import { hash, verify } from '@node-rs/argon2'
import { GraphQLError } from 'graphql'
import { CODES } from '../../platform/graphql/errors.ts'
import { type Problem, problem } from './validation.ts'

/** Argon2id as OWASP's Password Storage Cheat Sheet recommends first: 19 MiB, two passes, one lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Longer passwords are refused unread. */
const LONGEST_PASSWORD = 256
const SHORTEST_PASSWORD = 8

/** How many are worked on at once, and wait: each takes memory, and a core for some 20 ms. */
const AT_ONCE = 2
const MOST_WAITING = 500

const waiting: (() => void)[] = []
let working = 0

/** What is wrong with a new password; null when nothing is. Says nothing of the password itself. */
export const passwordProblem = (field: string, password: string): Problem | null =>
  password.length >= SHORTEST_PASSWORD && password.length <= LONGEST_PASSWORD
    ? null
    : problem(field, `${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters`, password.length)

/** The password as it may be stored, in PHC form. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, PARAMETERS))

/** Whether this is the password. Takes the same time when there is nothing to compare with: null is never right. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  if (password.length > LONGEST_PASSWORD) return false
  const isRight = await inTurn(async () => verify(stored ?? (await nobodys()), password))
  return isRight && stored !== null
}

let madeUp: Promise<string> | null = null
const nobodys = (): Promise<string> => (madeUp ??= hash(crypto.randomUUID(), PARAMETERS))

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (waiting.length >= MOST_WAITING) {
    throw new GraphQLError('Too many passwords are being checked at the moment: try again in 5 seconds.', {
      extensions: { code: CODES.rateLimited, retryAfterSeconds: 5 },
    })
  }
  if (working >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  else working += 1
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else working -= 1
  }
}
