import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CheckDomainDocument, CheckSourcesDocument, CheckUrlDocument, ExplainDecisionDocument } from '#generated/operations.ts'
import { operationTool, READS } from '../tool.ts'
import type { ToolServer } from '../tool-server.ts'
import { rateEvidenceTool } from './evidence.ts'
import { sourcesForm } from './sources.ts'
import { spelling } from './spelling.ts'

/** A check asks registries, name servers and the host itself, and counts as a scan of the key. */
const CHECKS = { ...READS, openWorldHint: true }

const ACTIONS =
  '`recommended_action`: `proceed`; `proceed_with_caution` (treat what comes back with care); `sandbox` (only where it can do no harm); `escalate_to_human` (ask a person first); `deny` (do not).'

/** Trust decisions for agents. */
export const trustServer: ToolServer = {
  name: 'trust',
  title: 'Atrium trust',
  description: 'Ask before you fetch, log in or pay: whether a domain or URL can be trusted, and why.',
  instructions:
    'Check a domain or URL before you fetch it, send anything to it, or cite it; check several at once with check_sources. Follow recommended_action, and ask again after valid_until. When a check fails or a source is unverified, treat it as not trusted: hold it back rather than go on. The checks judge who serves a page, not what it says; rate_evidence tells whether an extracted text is the article at all.',
  credentials: ['x-api-key', 'authorization'],
  signIn:
    'Send an API key of this service in the header X-API-Key, or as Authorization: Bearer. Whoever runs the service makes one with `npx atrium trust key create`.',
  keyHeaders: [
    {
      name: 'x-api-key',
      description:
        'API key of this service, which begins with sk_. Whoever runs it makes one with `npx atrium trust key create`.',
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
      description: `Decides whether to use a URL, by its host and by tricks in its form such as a name in front of an @. Use it before an agent opens a link that it found or was given. ${ACTIONS} Costs one scan of the key.`,
      arguments: { url: { description: 'An http or https URL: `https://example.com/page`.', max: 2_048 } },
      answer: ['result', 'decision'],
      effect: CHECKS,
    }),
    operationTool({
      run: CheckSourcesDocument,
      title: 'Check many sources',
      description:
        'Decides about up to 100 domains or URLs at once and returns them in four groups: `approved` (use), `sandboxed` (use under restriction), `denied` (drop), `unverified` (hold: not decided, with the reason). Every source is in exactly one group. Use it on search results before reading any of them. Costs one scan of the key per source that was decided about.',
      answer: ['batch'],
      form: sourcesForm,
      effect: CHECKS,
    }),
    operationTool({
      run: ExplainDecisionDocument,
      title: 'Explain a decision',
      description:
        'Shows how a decision came about: what every source of evidence said, the points it gave, the rules that raised or held back the action, and how complete the evidence was. Use it when a person asks why something was denied. Costs no scan.',
      arguments: { decision_id: { description: '`decision_id` of a check: `dec_` and hexadecimal digits.', max: 100 } },
      answer: ['decision'],
      missing:
        'This key has no decision with this id. Take decision_id from the answer of check_domain, check_url or check_sources, made with the same key.',
    }),
    rateEvidenceTool,
  ],
  resources: [
    {
      path: '/mcp/trust/decisions.md',
      name: 'decisions',
      title: 'How a trust decision is made',
      description: 'The steps from evidence to action, what each score and state means, and which rules hold an answer back.',
      mimeType: 'text/markdown',
      text: () => readFileSync(join(import.meta.dirname, '../../docs/trust.md'), 'utf8'),
    },
  ],
  prompts: [
    {
      name: 'cite_safely',
      title: 'Answer from sources that can be trusted',
      description: 'Gates candidate sources before any of them is read, and cites only what may be cited.',
      arguments: [
        { name: 'question', description: 'What you want to know.' },
        { name: 'sources', description: 'Candidate domains or URLs, separated by blanks.' },
      ],
      text: ({ question, sources }) =>
        `Answer this question from the sources below: ${question}\n\nSources: ${sources}\n\nFirst pass all of them to check_sources. Read approved sources. Read sandboxed ones only to compare, and say so where you use them. Do not open denied or unverified ones. Cite nothing that you have not read. End with a list of the sources that you left out, and why.`,
    },
  ],
}
