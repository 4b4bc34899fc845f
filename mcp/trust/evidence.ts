import { z } from 'zod'
import { contentOfText } from '../../clients/evidence/content.ts'
import { rateEvidence, TIERS } from '../../clients/evidence/rate.ts'
import { argumentsOf } from '../arguments.ts'
import { text } from '../scalars.ts'
import { plainTool } from '../tool.ts'

/** Twenty thousand words: longer than what is read in one piece, and rated in less than a tenth of a second. */
const MAX_TEXT_CHARACTERS = 100_000
const expectation = `a text of at most ${MAX_TEXT_CHARACTERS} characters`

/** How far an agent can rely on a text that it has extracted: the rating of `clients/evidence`, for agents without that package. */
export const rateEvidenceTool = plainTool({
  name: 'rate_evidence',
  title: 'Rate evidence',
  description:
    'Tells whether a text that was extracted from a page is the article or only its surroundings: menus, a teaser before a paywall, a consent dialog, a title. Use it after reading a page and before citing it; cite what is `high`, use `medium` with care, look for another source when it is `low` or `none`. It knows no language and says nothing about truth, nor about the site: check_domain does. Costs no scan.',
  accepts: argumentsOf({
    text: z
      .string({ error: expectation })
      .max(MAX_TEXT_CHARACTERS, { error: expectation })
      .describe('What an extractor made of the page: plain text or Markdown, its parts separated by blank lines.'),
    title: text(1_000).nullish().describe('Title of the page; absent when it has none.'),
  }),
  returns: z.object({
    usability: z.enum(['high', 'medium', 'low', 'none']).describe('How far it can be relied on; only `high` is fit to be cited.'),
    tier: z.enum(TIERS).describe('What was captured, best first.'),
    codes: z.array(z.string()).describe('The code of the tier, then what led to it.'),
    measured: z
      .object({
        body: z.int().describe('Length of the text itself.'),
        boilerplate: z.int().describe('Length of what surrounds it.'),
      })
      .describe('In words of English: five letters, one and a half ideographs.'),
  }),
  answer: ({ text, title = null }) => ({ kind: 'answered', content: rateEvidence(contentOfText(title, text)) }),
})
