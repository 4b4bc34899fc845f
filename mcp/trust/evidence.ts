import { z } from 'zod'
import { contentOfText } from '../../clients/evidence/content.ts'
import { rateEvidence, TIERS } from '../../clients/evidence/rate.ts'
import { argumentsOf } from '../arguments.ts'
import { text } from '../scalars.ts'
import { plainTool } from '../tool.ts'

/** Maximum text: some 20,000 words, rated in less than 0.1 s. */
const MAX_TEXT_CHARACTERS = 100_000
const expectation = `a text of at most ${MAX_TEXT_CHARACTERS} characters`

/**
 * Rates how complete extracted text is, with `clients/evidence`, for agents without that package.
 */
export const rateEvidenceTool = plainTool({
  name: 'rate_evidence',
  title: 'Rate evidence',
  description:
    'Rates whether a text extracted from a page is the article or only boilerplate: menus, a teaser before a paywall, a consent dialog, a title. Use it after reading a page and before citing it; cite what is `high`, use `medium` with care, look for another source when it is `low` or `none`. It is independent of language and judges neither truth nor the site: use check_domain for the site. Costs no scan.',
  accepts: argumentsOf({
    text: z
      .string({ error: expectation })
      .max(MAX_TEXT_CHARACTERS, { error: expectation })
      .describe('Extracted text of the page: plain text or Markdown, blocks separated by blank lines.'),
    title: text(1_000).nullish().describe('Title of the page; absent when it has none.'),
  }),
  returns: z.object({
    usability: z.enum(['high', 'medium', 'low', 'none']).describe('Usability of the text; cite only `high`.'),
    tier: z.enum(TIERS).describe('Tier of the captured text, best first.'),
    codes: z.array(z.string()).describe('Code of the tier, then its reasons.'),
    measured: z
      .object({
        body: z.int().describe('Length of the article text.'),
        boilerplate: z.int().describe('Length of the boilerplate.'),
      })
      .describe('In words of English: five letters, one and a half ideographs.'),
  }),
  answer: ({ text, title = null }) => ({ kind: 'answered', content: rateEvidence(contentOfText(title, text)) }),
})
