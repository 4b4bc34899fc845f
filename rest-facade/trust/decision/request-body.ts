import { z } from 'zod'
import type { DecideInput } from '#generated/operations.ts'
import { upperCase } from '../../../platform/text/case.ts'
import { readValue } from '../../http/body.ts'
import type { ProblemDetails } from '../../http/problem.ts'
import { invalidBody } from '../../http/problem.ts'

const text = z.string({ error: 'a string' })

/** One of the values of the contract, converted to the enum value of the graph. */
export const enumValue = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: `one of ${words.join(', ')}` }).transform((value: Words[number]) => upperCase(value))

const fields = { error: 'an object' }

/**
 * A decision request in the short form, the long one or both. Unknown fields are ignored: clients
 * may be newer.
 */
export const decideRequest = z
  .object(
    {
      domain: text.optional(),
      target: z.object({ type: enumValue(['domain', 'url']).optional(), value: text }, fields).optional(),
      interaction: z
        .object(
          {
            kind: enumValue([
              'navigate',
              'fetch',
              'enrich',
              'download_file',
              'submit_credentials',
              'initiate_payment',
            ]).optional(),
            mode: enumValue(['read_only', 'transactional', 'privileged']).optional(),
            sensitivity: enumValue(['low', 'medium', 'high', 'critical']).optional(),
          },
          fields,
        )
        .optional(),
      policy: z.object({ profile: enumValue(['open', 'balanced', 'strict', 'critical']).optional() }, fields).optional(),
      options: z.object({ include_evidence: z.boolean({ error: 'true or false' }).optional() }, fields).optional(),
    },
    fields,
  )
  .transform(({ domain, target, interaction, policy, options }) => ({
    // Absent fields get their default from the graph.
    input: defined({
      domain,
      target: target && defined(target),
      interaction: interaction && defined(interaction),
      policy: policy?.profile,
    }),
    includesEvidence: options?.include_evidence ?? true,
  }))

export type DecideRequestBody = z.infer<typeof decideRequest>

const MAX_BATCH_SIZE = 100

/** An element of a batch: validated by itself, so that one fault fails one element. */
const element = z.unknown().transform((given): DecideRequestBody | { readonly problem: ProblemDetails } => {
  const read = readValue(decideRequest, typeof given === 'string' ? { domain: given } : given)
  return 'faults' in read ? { problem: invalidBody(read.faults) } : read.value
})

const batchExpectation = `a list of 1 to ${MAX_BATCH_SIZE} questions`

/** A batch of requests: objects, or host names. */
export const batchRequest = z
  .object(
    {
      requests: z
        .array(element, { error: batchExpectation })
        .min(1, { error: batchExpectation })
        .max(MAX_BATCH_SIZE, { error: batchExpectation }),
    },
    fields,
  )
  .transform(({ requests }) => requests)

/** Drops undefined fields: absent and null differ in GraphQL. */
function defined<Value extends object>(value: Value): DecideFields<Value> {
  // Object.fromEntries types its values only; the keys are those of `value`.
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as DecideFields<Value>
}
type DecideFields<Value> = { [Name in keyof Value]: Exclude<Value[Name], undefined> } & DecideInput
