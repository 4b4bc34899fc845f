import type { McpServerPageQuery } from '#generated/operations.ts'
import { chip } from '../../frame/chip.ts'
import { counted, dayOf } from '../../frame/figures.ts'
import { type Html, html } from '../../frame/html.ts'
import { shortened } from '../card.ts'

type Features = NonNullable<NonNullable<McpServerPageQuery['mcpServer']>['features']>

/** Longest description of a tool in the page. */
const MAX_DESCRIPTION_LENGTH = 300
/** Tools that stand open; the others are a click away. */
const MAX_OPEN_TOOLS = 12

/** What the server offers, what rules say about it, and what changed. */
export const featuresSection = (features: Features): Html => html`<section aria-labelledby="features"><h2 id="features">Tools</h2>
<p class="quiet">${origin(features)}</p>
${findings(features.findings)}
${tools(features)}
${more(
  'prompts',
  features.promptCount,
  features.prompts.map(({ name, description }) => ({ name, description })),
)}
${more(
  'resources',
  features.resourceCount,
  features.resources.map(({ uri, description }) => ({ name: uri, description })),
)}
${changes(features.changes)}
</section>`

function origin({ source, probedAt, serverVersion, lastProbe, toolCount, promptCount, resourceCount }: Features): Html {
  const offered = [counted(toolCount, 'tool'), counted(promptCount, 'prompt'), counted(resourceCount, 'resource')].join(', ')
  if (source === 'STATED') {
    const failed = lastProbe && ` The server did not answer on ${dayOf(lastProbe.probedAt)}: ${lastProbe.reason ?? 'no reason'}`
    return html`${offered}, as sources list them.${failed}`
  }
  return html`${offered}, as the server itself answered on ${probedAt && html`<time datetime="${probedAt}">${dayOf(probedAt)}</time>`}${serverVersion !== null && ` (version ${serverVersion})`}.${
    lastProbe && lastProbe.status !== 'ANSWERED' && ` It did not answer on ${dayOf(lastProbe.probedAt)}.`
  }`
}

function findings(rows: Features['findings']): Html | false {
  if (rows.length === 0) return false
  const severe = rows.filter(({ severity }) => severity === 'HIGH')
  return html`<details ${severe.length > 0 && html`open`}><summary>${
    severe.length > 0 ? chip(`${counted(severe.length, 'severe finding')}`, 'bad') : 'Worth a look'
  }: ${counted(rows.length, 'match', 'matches')} of rules</summary>
<ul>${rows.map(
    ({ rule, severity, meaning, feature, name, excerpt }) =>
      html`<li>${severity === 'HIGH' ? chip('severe', 'bad') : chip('note', 'fair')} <code>${name}</code> (${feature.toLowerCase()}): ${meaning} <q>${shortened(excerpt, 120)}</q> <span class="quiet">${rule}</span></li>`,
  )}</ul></details>`
}

function tools({ tools: rows, toolCount }: Features): Html | false {
  if (rows.length === 0) return false
  const rest = rows.slice(MAX_OPEN_TOOLS)
  return html`<dl class="variables">${rows.slice(0, MAX_OPEN_TOOLS).map(tool)}</dl>${
    rest.length > 0 &&
    html`<details><summary>${counted(toolCount - MAX_OPEN_TOOLS, 'more tool')}</summary><dl class="variables">${rest.map(tool)}</dl>${
      toolCount > rows.length && html`<p class="quiet">The first ${rows.length} of ${toolCount}.</p>`
    }</details>`
  }`
}

const tool = ({ name, description, isWithheld, isReadOnly, isDestructive }: Features['tools'][number]): Html =>
  html`<dt><code>${name}</code> ${isReadOnly === true && html`<span class="quiet">reads only</span>`} ${isDestructive === true && html`<span class="quiet">may delete or overwrite</span>`}</dt><dd>${
    isWithheld
      ? html`<span class="quiet">withheld: see the findings</span>`
      : description && shortened(description, MAX_DESCRIPTION_LENGTH)
  }</dd>`

const more = (
  what: string,
  count: number,
  rows: readonly { readonly name: string; readonly description: string | null }[],
): Html | false =>
  rows.length > 0 &&
  html`<details><summary>${count} ${what}</summary><dl class="variables">${rows.map(
    ({ name, description }) =>
      html`<dt><code>${name}</code></dt><dd>${description && shortened(description, MAX_DESCRIPTION_LENGTH)}</dd>`,
  )}</dl></details>`

const changes = (rows: Features['changes']): Html | false =>
  rows.length > 0 &&
  html`<details><summary>${counted(rows.length, 'change')} seen, the last on ${dayOf(rows[0]?.seenAt ?? '')}</summary>
<ul>${rows.map(
    ({ seenAt, change, feature, name, field, before, after }) =>
      html`<li><time datetime="${seenAt}">${dayOf(seenAt)}</time>: ${change.toLowerCase()} ${feature.toLowerCase()} <code>${name}</code>${
        field !== null &&
        html`, its ${field}: <del>${shortened(before ?? 'nothing shown', 200)}</del> <ins>${shortened(after ?? 'nothing shown', 200)}</ins>`
      }</li>`,
  )}</ul></details>`
