import { z } from 'zod'
import { chosen, options, text } from './validate-options.ts'

const MIN_TOKEN_CHARACTERS = 16

/** Who may read query traces. */
export const traceOptions = chosen(
  (value) => typeof value !== 'object',
  z.enum(['off', 'everyone'], '"off", "everyone" or an object with a token'),
  options({
    /** Token of readers, in the header `atrium-trace`. */
    token: text('a token').min(MIN_TOKEN_CHARACTERS, `at least ${MIN_TOKEN_CHARACTERS} characters`),
  }),
)
