import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CheckDomainDocument, CheckSourcesDocument, CheckUrlDocument, ExplainDecisionDocument } from '#generated/operations.ts'
import { operationTool, READS } from '../tool.ts'
import type { ToolServer } from '../tool-server.ts'
import { rateEvidenceTool } from './evidence.ts'
import { sourcesForm } from './sources.ts'
import { spelling } from './spelling.ts'

/**
 * Open world: a decision queries registries, name servers and the host itself. It counts as a scan
 * of the key.
 */
const CHECKS = { ...READS, openWorldHint: true }

const ACTIONS =
  '`recommended_action`: `proceed`; `proceed_with_caution` (treat the response with caution); `sandbox` (only in a sandbox); `escalate_to_human` (a person decides first); `deny` (do not proceed).'

/** MCP server of trust decisions. */
export const trustServer: ToolServer = {
  name: 'trust',
  title: 'Atrium trust',
  description: 'Check whether a domain or URL can be trusted before you fetch, sign in or pay, with reasons.',
  instructions:
    'Check a domain or URL before you fetch it, send anything to it, or cite it; check several at once with check_sources. Follow recommended_action, and check again after valid_until. When a check fails or a source is unverified, treat it as untrusted and do not use it. The checks judge the host of a page, not its content; rate_evidence rates whether an extracted text is the article, and whether it gives orders to whoever reads it.',
  credentials: ['x-api-key', 'authorization'],
  signIn:
    'Send an API key of this service in the header X-API-Key, or as Authorization: Bearer. The operator creates one with `npx atrium trust key create`.',
  keyHeaders: [
    {
      name: 'x-api-key',
      description: 'API key of this service, which begins with sk_. The operator creates one with `npx atrium trust key create`.',
      isRequired: true,
    },
  ],
  spelling,
  tools: [
    operationTool({
      run: CheckDomainDocument,
      title: 'Check a domain',
      description: `Decides whether to use a domain, from its registration, DNS, certificate and threat feeds. Use it before an agent fetches from a host, sends data to it or pays there. ${ACTIONS} Costs one scan of the key.`,
      arguments: {
        domain: {
          description: 'A host name or an IP address: `example.com`. For an address with a path use check_url.',
          max: 2_048,
        },
      },
      answer: ['result', 'decision'],
      effect: CHECKS,
    }),
    operationTool({
      run: CheckUrlDocument,
      title: 'Check a URL',
      description: `Decides whether to use a URL: by its host, by threat feeds that list the URL itself, and by deceptive forms such as a name before an @ or another URL in its query. Only hashes of path and query are stored. Use it before an agent opens a link. ${ACTIONS} Costs one scan of the key.`,
      arguments: { url: { description: 'An http or https URL: `https://example.com/page`.', max: 2_048 } },
      answer: ['result', 'decision'],
      effect: CHECKS,
    }),
    operationTool({
      run: CheckSourcesDocument,
      title: 'Check many sources',
      description:
        'Decides about up to 100 domains or URLs at once and returns them in four groups: `approved` (use), `sandboxed` (use under restriction), `denied` (drop), `unverified` (do not use: not decided, with the reason). Every source is in exactly one group. Use it on search results before reading any of them. Costs one scan of the key per decided source.',
      answer: ['batch'],
      form: sourcesForm,
      effect: CHECKS,
    }),
    operationTool({
      run: ExplainDecisionDocument,
      title: 'Explain a decision',
      description:
        'Shows the audit trail of a decision: the evidence of every source, its points, the rules that raised or limited the action, and the coverage of the evidence. Use it to explain a denial. Costs no scan.',
      arguments: { decision_id: { description: '`decision_id` of a check: `dec_` and hexadecimal digits.', max: 100 } },
      answer: ['decision'],
      missing:
        'This key has no decision with this id. Use decision_id from the result of check_domain, check_url or check_sources, made with the same key.',
    }),
    rateEvidenceTool,
  ],
  resources: [
    {
      path: '/mcp/trust/decisions.md',
      name: 'decisions',
      title: 'How a trust decision is made',
      description: 'The steps from evidence to action, the meaning of each score and state, and the rules that limit the action.',
      mimeType: 'text/markdown',
      text: () => readFileSync(join(import.meta.dirname, '../../docs/trust.md'), 'utf8'),
    },
  ],
  prompts: [
    {
      name: 'cite_safely',
      title: 'Answer from trusted sources',
      description: 'Gates candidate sources before reading them, and cites only approved ones.',
      arguments: [
        { name: 'question', description: 'Question to answer.' },
        { name: 'sources', description: 'Candidate domains or URLs, separated by blanks.' },
      ],
      text: ({ question, sources }) =>
        `Answer this question from the sources below: ${question}\n\nSources: ${sources}\n\nFirst pass all of them to check_sources. Read approved sources. Read sandboxed ones only to compare, and mark where you use them. Do not open denied or unverified ones. Cite nothing that you have not read. End with a list of the sources that you left out, and why.`,
    },
  ],
}
