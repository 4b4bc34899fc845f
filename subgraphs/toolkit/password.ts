import { hash, verify } from '@node-rs/argon2'
import { GraphQLError } from 'graphql'
import { ERROR_CODES } from '../../platform/graphql/errors.ts'
import { type Problem, problem } from './validation.ts'

/**
 * Argon2id parameters that OWASP's Password Storage Cheat Sheet lists first: 19 MiB, two passes,
 * one lane.
 */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Longer passwords are rejected without hashing. */
export const MAX_PASSWORD_CHARACTERS = 256
const MIN_PASSWORD_CHARACTERS = 8

/** Most concurrent and waiting hashes: each takes 19 MiB, and a core for some 20 ms. */
const MAX_CONCURRENT_HASHES = 2
const MAX_WAITING_HASHES = 500

const waiting: (() => void)[] = []
let working = 0

/** Validation of a new password; null when valid. Does not repeat the password. */
export const passwordProblem = (field: string, password: string): Problem | null =>
  password.length >= MIN_PASSWORD_CHARACTERS && password.length <= MAX_PASSWORD_CHARACTERS
    ? null
    : problem(field, `${MIN_PASSWORD_CHARACTERS} to ${MAX_PASSWORD_CHARACTERS} characters`, password.length)

/** Hash for storage, in PHC form. */
export const hashPassword = (password: string): Promise<string> => withHashSlot(() => hash(password, PARAMETERS))

/** Verifies a password. Takes the same time without a stored hash, for which it is false. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  if (password.length > MAX_PASSWORD_CHARACTERS) return false
  const isRight = await withHashSlot(async () => verify(stored ?? (await placeholderHash()), password))
  return isRight && stored !== null
}

let placeholder: Promise<string> | null = null
const placeholderHash = (): Promise<string> => (placeholder ??= hash(crypto.randomUUID(), PARAMETERS))

async function withHashSlot<Result>(work: () => Promise<Result>): Promise<Result> {
  if (waiting.length >= MAX_WAITING_HASHES) {
    throw new GraphQLError('Too many passwords are being checked at the moment: try again in 5 seconds.', {
      extensions: { code: ERROR_CODES.rateLimited, retryAfterSeconds: 5 },
    })
  }
  if (working >= MAX_CONCURRENT_HASHES) await new Promise<void>((resolve) => waiting.push(resolve))
  else working += 1
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else working -= 1
  }
}
