import {
  type InteractionKind,
  type PolicyProfile,
  type Sensitivity,
  TrialPageDocument,
  TrustFormDocument,
  type TrustFormQuery,
} from '#generated/operations.ts'
import { chip } from '../frame/chip.ts'
import { codeBlock } from '../frame/code.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, OperationFailed, page } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { decision } from './decision.ts'
import { TRUST_PARAMETERS, type TrustFormValues, trustForm } from './form.ts'
import { ACTIONS, EVIDENCE_SOURCE_MEANINGS, EVIDENCE_SOURCE_NAMES } from './labels.ts'

const DESCRIPTION =
  'Check whether an agent may fetch from, sign in at or pay to a domain: decision, three scores, reasons, evidence, and alternatives.'

export const trustPages = [
  page({
    on: '/trust',
    operations: [TrialPageDocument, TrustFormDocument],
    parameters: TRUST_PARAMETERS,
    // An answer ends, and trials are counted.
    cacheControl: 'no-store',
    async answer({ query, run, site }) {
      const { domain } = query
      if (domain === null) {
        const { trustSources } = dataOf(await run(TrustFormDocument, {}))
        return {
          title: 'Can this domain be trusted?',
          description: DESCRIPTION,
          canonical: '/trust',
          body: empty(query, trustSources, site),
        }
      }
      const answer = await run(TrialPageDocument, { input: inputOf(domain, query) })
      if (answer.errors.length > 0) throw new OperationFailed(answer.errors)
      const { trial } = dataOf(answer)
      if ('message' in trial) {
        return {
          status: 400,
          title: 'Can this domain be trusted?',
          description: DESCRIPTION,
          body: html`<h1>Can this domain be trusted?</h1>${trustForm(query, site)}<p role="alert">${trial.message}</p>`,
        }
      }
      const { unicode } = trial.assessment.target
      return {
        title: `${unicode}: ${ACTIONS[trial.assessment.action].short}`,
        description: DESCRIPTION,
        scripts: ['copy.js'],
        body: html`<h1>Can this domain be trusted?</h1>
${trustForm(query, site)}
${decision(trial)}
${forPrograms(domain, query, site)}`,
      }
    },
  }),
]

const inputOf = (target: string, { policy, kind, sensitivity }: TrustFormValues) => ({
  target,
  // The table of parameters lets through the names of the schema only, in small letters.
  ...(policy !== null && { policy: policy.toUpperCase() as PolicyProfile }),
  interaction: {
    // Enums of the graph in upper case.
    ...(kind !== null && { kind: kind.toUpperCase() as InteractionKind }),
    ...(sensitivity !== null && { sensitivity: sensitivity.toUpperCase() as Sensitivity }),
  },
})

/** One that is known, one that imitates, one that only looks like a name, and one of a private network. */
const TRIES = ['github.com', 'paypa1-login.com', 'xn--80ak6aa92e.com', '192.168.0.1'] as const

function empty(values: TrustFormValues, sources: TrustFormQuery['trustSources'], site: Site): Html {
  return html`<h1>Can this domain be trusted?</h1>
<p class="lead">Enter a domain or a URL. The page shows the decision that an agent would get, with its reasons.</p>
${trustForm(values, site)}
<p class="tries">Try ${TRIES.map((domain) => html`<a href="${site.at(`/trust?domain=${encodeURIComponent(domain)}`)}" rel="nofollow">${domain}</a> `)}</p>
<div class="halves">
<section aria-labelledby="answers"><h2 id="answers">Recommended actions</h2><dl class="facts-list">${Object.values(ACTIONS).map(
    ({ short, sentence, tone }) => html`<dt>${chip(short, tone)}</dt><dd>${sentence}</dd>`,
  )}</dl></section>
<section aria-labelledby="sources"><h2 id="sources">Sources of evidence</h2><dl class="facts-list">${sources
    .filter(({ name }) => EVIDENCE_SOURCE_MEANINGS[name] !== undefined)
    .map(
      ({ name, ...said }) =>
        html`<dt>${EVIDENCE_SOURCE_NAMES[name]}</dt><dd>${stateOf(said)}<br><span class="quiet">Says ${EVIDENCE_SOURCE_MEANINGS[name]}.</span></dd>`,
    )}</dl></section>
</div>
<section aria-labelledby="lists"><h2 id="lists">Lists and feeds</h2><p class="quiet">Downloaded by this installation and searched at each decision.</p>
<ul class="states">${sources
    .filter(({ name }) => EVIDENCE_SOURCE_MEANINGS[name] === undefined)
    .map(({ name, ...said }) => html`<li><strong>${name}</strong> ${stateOf(said)}</li>`)}</ul></section>
<p>Missing evidence never decides: a denial must hold for the best possible evidence of unavailable sources, and proceeding for the worst.
Programs call <code>POST /v1/decide</code> with a key: see <a href="${site.at('/reference/trust')}">the contract</a>.</p>`
}

const stateOf = ({ state, reason }: Omit<TrustFormQuery['trustSources'][number], 'name'>): Html =>
  html`${chip(SOURCE_STATES[state].label, SOURCE_STATES[state].tone)}${reason && html` <span class="quiet">${reason}</span>`}`

const SOURCE_STATES = {
  UP: { label: 'answers', tone: 'good' },
  DOWN: { label: 'unavailable', tone: 'doubt' },
  UNTRIED: { label: 'no answer yet', tone: 'none' },
  OFF: { label: 'not configured', tone: 'none' },
} as const

function forPrograms(domain: string, { policy, kind, sensitivity }: TrustFormValues, { publicUrl }: Site): Html {
  const body = {
    target: { value: domain },
    ...((kind ?? sensitivity) !== null && {
      interaction: { ...(kind !== null && { kind }), ...(sensitivity !== null && { sensitivity }) },
    }),
    ...(policy !== null && { policy: { profile: policy } }),
  }
  // A quote inside single quotes of a shell ends them, stands alone, and begins them again.
  const quoted = JSON.stringify(body).replaceAll("'", "'\\''")
  return html`<section aria-labelledby="programs"><h2 id="programs">REST request</h2>
${codeBlock({
  id: 'programs-text',
  text: `curl ${publicUrl}/v1/decide -H "x-api-key: $KEY" -H 'content-type: application/json' -d '${quoted}'`,
  language: 'sh',
  label: 'REST request',
  breaks: true,
})}</section>`
}
