import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Config, Variables } from '../config/config.ts'
import { OperatorError } from '../process/operator-error.ts'
import { keyIdOf, SECRETS_KEY_BYTES } from './cipher.ts'

const EXPECTATION = `${SECRETS_KEY_BYTES} bytes in base64, such as of \`openssl rand -base64 32\`; several are separated by commas`

/** Most keys: the current one, and former ones until everything is re-encrypted. */
const MAX_KEYS = 10

const secretsKeys = z.string().transform((text, context) => {
  const keys = text.split(',').map((part) => part.trim())
  const bytes = keys.map((key) => Buffer.from(key, 'base64'))
  const areKeys = keys.every((key, index) => /^[\w+/-]{43}=?$/.test(key) && bytes[index]?.length === SECRETS_KEY_BYTES)
  if (areKeys && keys.length <= MAX_KEYS && new Set(bytes.map(keyIdOf)).size === keys.length) return bytes
  context.addIssue({ code: 'custom', message: areKeys ? `at most ${MAX_KEYS} different keys` : EXPECTATION })
  return z.NEVER
})

/** The variables of secrets that are stored. */
export const secretsVariables = {
  SECRETS_KEY: {
    read: secretsKeys,
    default: null,
    unit: null,
    secret: true,
    meaning:
      'What stored secrets are encrypted with (AES-256-GCM), 32 bytes in base64; several, separated by commas: the first encrypts, each decrypts. Unset, they are stored as they are, which only development may.',
  },
  SECRETS_KEY_FILE: {
    read: z.string(),
    default: null,
    unit: null,
    meaning: 'File with what SECRETS_KEY would say, for platforms that hand out secrets as files.',
  },
} as const satisfies Variables

/**
 * The keys, the one that encrypts first; none when neither variable is set. Throws an
 * `OperatorError` for a file that has none.
 */
export function secretsKeysOf({
  SECRETS_KEY,
  SECRETS_KEY_FILE: file,
}: Pick<Config<typeof secretsVariables>, 'SECRETS_KEY' | 'SECRETS_KEY_FILE'>): readonly Uint8Array[] {
  if (SECRETS_KEY || file === undefined) return SECRETS_KEY ?? []
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new OperatorError(`SECRETS_KEY_FILE ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`)
  }
  const result = secretsKeys.safeParse(text)
  if (!result.success) throw new OperatorError(`Expected SECRETS_KEY_FILE to hold ${EXPECTATION}.`)
  return result.data
}
