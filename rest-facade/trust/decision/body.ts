import { z } from 'zod'
import type { DecideInput } from '#generated/operations.ts'
import { upperCase } from '../../../platform/text/case.ts'
import { readValue } from '../../http/body.ts'
import type { Problem } from '../../http/problem.ts'
import { invalidBody } from '../../http/problem.ts'

const text = z.string({ error: 'a string' })

/** One of the words of the wire, as the graph spells it. */
export const word = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: `one of ${words.join(', ')}` }).transform((value) => upperCase(value as Words[number]))

const fields = { error: 'an object' }

/** A question in the short form, the long one or both. Fields that nobody documents are ignored: clients may be newer. */
export const question = z
  .object(
    {
      domain: text.optional(),
      target: z.object({ type: word(['domain', 'url']).optional(), value: text }, fields).optional(),
      interaction: z
        .object(
          {
            kind: word(['navigate', 'fetch', 'enrich', 'download_file', 'submit_credentials', 'initiate_payment']).optional(),
            mode: word(['read_only', 'transactional', 'privileged']).optional(),
            sensitivity: word(['low', 'medium', 'high', 'critical']).optional(),
          },
          fields,
        )
        .optional(),
      policy: z.object({ profile: word(['open', 'balanced', 'strict', 'critical']).optional() }, fields).optional(),
      options: z.object({ include_evidence: z.boolean({ error: 'true or false' }).optional() }, fields).optional(),
    },
    fields,
  )
  .transform(({ domain, target, interaction, policy, options }) => ({
    // What is absent gets its default from the graph.
    input: defined({
      domain,
      target: target && defined(target),
      interaction: interaction && defined(interaction),
      policy: policy?.profile,
    }),
    includesEvidence: options?.include_evidence ?? true,
  }))

export type AskedQuestion = z.infer<typeof question>

const MOST_AT_ONCE = 100

/** An element of a batch: read by itself, so that one mistake costs one answer. */
const element = z.unknown().transform((given): AskedQuestion | { readonly problem: Problem } => {
  const read = readValue(question, typeof given === 'string' ? { domain: given } : given)
  return 'faults' in read ? { problem: invalidBody(read.faults) } : read.value
})

const several = `a list of 1 to ${MOST_AT_ONCE} questions`

/** Several questions: as objects, or as host names. */
export const questions = z
  .object(
    {
      requests: z.array(element, { error: several }).min(1, { error: several }).max(MOST_AT_ONCE, { error: several }),
    },
    fields,
  )
  .transform(({ requests }) => requests)

/** The same without what is undefined: absent and null differ in GraphQL. */
function defined<Value extends object>(value: Value): DecideFields<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as DecideFields<Value>
}
type DecideFields<Value> = { [Name in keyof Value]: Exclude<Value[Name], undefined> } & DecideInput
