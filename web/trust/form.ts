import type { ParameterTable } from '../../rest-facade/http/parameters.ts'
import { type Html, html } from '../frame/html.ts'
import type { Site } from '../frame/site.ts'
import { POLICIES } from './labels.ts'

const lowered = (names: readonly string[]): readonly string[] => names.map((name) => name.toLowerCase())

const KINDS = {
  navigate: 'Navigate',
  fetch: 'Fetch',
  enrich: 'Enrich other data',
  download_file: 'Download a file',
  submit_credentials: 'Submit credentials',
  initiate_payment: 'Initiate a payment',
} as const
const SENSITIVITIES = { low: 'hardly', medium: 'somewhat', high: 'much', critical: 'irreparable' } as const

/** What the address of the page may hold. */
export const TRUST_PARAMETERS = {
  domain: { kind: 'text', max: 2_048 },
  policy: { kind: 'enum', values: lowered(Object.keys(POLICIES)) },
  kind: { kind: 'enum', values: Object.keys(KINDS) },
  sensitivity: { kind: 'enum', values: Object.keys(SENSITIVITIES) },
} as const satisfies ParameterTable

/** Parameters of the form as the address spells them; null for those it lacks. */
export type TrustFormValues = {
  readonly domain: string | null
  readonly policy: string | null
  readonly kind: string | null
  readonly sensitivity: string | null
}

export const trustForm = (values: TrustFormValues, { at }: Site): Html => html`<form action="${at('/trust')}">
<div class="ask"><input type="text" name="domain" value="${values.domain}" required maxlength="2048" aria-label="Domain or URL" placeholder="example.com" inputmode="url" autocapitalize="none" autocomplete="off" spellcheck="false"><button>Decide</button></div>
<details${(values.policy ?? values.kind ?? values.sensitivity) !== null && html` open`}><summary>Interaction and policy</summary>
<div class="fields">
${choice('kind', 'Interaction', KINDS, values.kind ?? 'fetch')}
${choice('sensitivity', 'Sensitivity: damage of a failed interaction', SENSITIVITIES, values.sensitivity ?? 'medium')}
${choice('policy', 'Policy', Object.fromEntries(Object.entries(POLICIES).map(([name, label]) => [name.toLowerCase(), label])), values.policy ?? 'balanced')}
</div></details>
</form>`

const choice = (
  name: string,
  label: string,
  options: Readonly<Record<string, string>>,
  chosen: string,
): Html => html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}">
${Object.entries(options).map(([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`)}
</select></div>`
