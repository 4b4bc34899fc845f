import {
  type AuditActor,
  type AuditEntryFilter,
  type AuditKind,
  type AuditNoun,
  ConsoleAuditDocument,
  type ConsoleAuditQuery,
} from '#generated/operations.ts'
import { lookupTable } from '../../platform/collections/lookup-table.ts'
import type { ValuesOf } from '../../rest-facade/http/parameters.ts'
import { chip, type Tone } from '../frame/chip.ts'
import { momentOf } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { AUDIT_NOUNS, auditPathOf } from './audit-nouns.ts'
import { isRestId, type ListLabels, nextLinks, nothingFound, optionsOf, wordOf } from './list.ts'
import { consolePage, ROLE_LABELS } from './page.ts'

const AUDIT = '/console/audit'

const ACTORS: ListLabels<AuditActor> = lookupTable({
  user: ['USER', 'owner and staff'],
  authtoken: ['AUTHTOKEN', 'authtoken'],
  app: ['APP', 'apps'],
  operator: ['OPERATOR', 'operator'],
})

const KINDS: Readonly<Record<AuditKind, readonly [label: string, tone: Tone]>> = {
  CREATED: ['created', 'good'],
  UPDATED: ['changed', 'fair'],
  DELETED: ['deleted', 'bad'],
}

/** Filters of the log, as addresses have them: days are of UTC. */
export const AUDIT_PARAMETERS = {
  actor: { kind: 'enum', values: Object.keys(ACTORS) },
  user: { kind: 'text', max: 64 },
  noun: { kind: 'enum', values: Object.keys(AUDIT_NOUNS) },
  number: { kind: 'text', max: 10 },
  from: { kind: 'text', max: 10 },
  to: { kind: 'text', max: 10 },
  after: { kind: 'text', max: 1_000 },
} as const

type AuditQuery = ValuesOf<typeof AUDIT_PARAMETERS>
/** An entry of the log, as the console reads it. */
export type ConsoleAuditEntry = ConsoleAuditQuery['auditEntries']['nodes'][number]

const DAY_MS = 86_400_000

/** The beginning of a day of UTC; null: it is none. */
function startOf(day: string): Date | null {
  const at = new Date(`${day}T00:00:00Z`)
  return /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day) ? at : null
}

/** The filter of an address, or what is wrong with it. */
export function auditFilterOf({
  actor,
  user,
  noun,
  number,
  from,
  to,
}: AuditQuery): AuditEntryFilter | { readonly problem: string } {
  const [begin, end] = [from === null ? null : startOf(from), to === null ? null : startOf(to)]
  if ((from !== null && begin === null) || (to !== null && end === null))
    return { problem: 'Expected the days to be written like 2026-11-20.' }
  if (begin && end && begin > end) return { problem: 'Expected the last day not to be before the first.' }
  if (number !== null && (noun === null || !isRestId(number) || Number(number) >= 2 ** 31))
    return { problem: 'Expected the number to be that of an object, together with its kind.' }
  if (user !== null && !/^[\w-]+$/.test(user))
    return { problem: 'Expected the user to be one of the log: follow the link of a name.' }
  return {
    actor: actor === null ? null : (ACTORS[actor]?.[0] ?? null),
    userId: user,
    noun: noun === null ? null : (AUDIT_NOUNS[noun]?.[0] ?? null),
    objectNumber: number === null ? null : Number(number),
    from: begin?.toISOString() ?? null,
    to: end && new Date(end.getTime() + DAY_MS).toISOString(),
  }
}

export const audit = consolePage({
  path: AUDIT,
  label: 'Audit log',
  needs: ['store_manager'],
  operations: [ConsoleAuditDocument],
  parameters: AUDIT_PARAMETERS,
  async body({ query, run, site }) {
    const filter = auditFilterOf(query)
    if ('problem' in filter)
      return html`${head(query, site)}<div role="alert" class="alert tone-bad"><p>${filter.problem}</p></div>`
    const { auditEntries: found } = dataOf(await run(ConsoleAuditDocument, { filter, first: 50, after: query.after }))
    return html`${head(query, site)}
${found.nodes.length === 0 ? nothingFound(query, 'entries', html`What the owner, staff, apps and programs change from now on appears here.`) : table(found.nodes, site)}
${nextLinks(AUDIT, query, found.pageInfo, site)}`
  },
})

const head = (query: AuditQuery, site: Site): Html => html`<h1>Audit log</h1>
<p class="lead">Who changed what in this store, the newest first. It keeps no data of customers, no secrets and no long texts. <a href="${site.at(`${AUDIT}.csv`)}${addressOf(query)}" download>Download as CSV</a></p>
<search><form class="fields fields-list-filter" action="${site.at(AUDIT)}">
${select('actor', 'Changed by', 'anybody', optionsOf(ACTORS), query.actor)}
${select('noun', 'Object', 'any', optionsOf(AUDIT_NOUNS), query.noun)}
<div><label for="number">Number of the object</label><input id="number" name="number" value="${query.number}" inputmode="numeric" maxlength="10" autocomplete="off"></div>
<div><label for="from">From</label><input type="date" id="from" name="from" value="${query.from}"></div>
<div><label for="to">To</label><input type="date" id="to" name="to" value="${query.to}"></div>
${query.user !== null && html`<input type="hidden" name="user" value="${query.user}">`}
<div><button>Search</button></div>
</form></search>`

const select = (
  name: string,
  label: string,
  any: string,
  options: readonly (readonly [value: string, label: string])[],
  chosen: string | null,
): Html =>
  html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}"><option value="">${any}</option>${options.map(
    ([value, each]) => html`<option value="${value}"${value === chosen && html` selected`}>${each}</option>`,
  )}</select></div>`

/** The query of an address without its position. */
function addressOf({ actor, user, noun, number, from, to }: AuditQuery): string {
  const given = Object.entries({ actor, user, noun, number, from, to })
  const filters = given.filter((pair): pair is [string, string] => pair[1] !== null)
  return filters.length === 0 ? '' : `?${new URLSearchParams(filters)}`
}

const table = (nodes: readonly ConsoleAuditEntry[], site: Site): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="Audit log"><table class="stack">
<thead><tr><th scope="col">Time</th><th scope="col">Changed by</th><th scope="col">Object</th><th scope="col">Fields</th><th scope="col">Operation</th></tr></thead>
<tbody>${nodes.map(
    (entry) =>
      html`<tr><td><time datetime="${entry.at}">${momentOf(entry.at)}</time></td><td>${actor(entry, site)}</td><td>${object(entry, site)}</td><td>${fields(entry)}</td><td><code>${entry.operation}</code></td></tr>`,
  )}</tbody></table></div>`

/** Who made a change, in words. */
export function actorLabel({ actor, user, appCode }: ConsoleAuditEntry): string {
  if (actor === 'USER') return user?.name ?? 'Deleted user'
  return actor === 'APP' ? `App ${appCode ?? ''}` : { AUTHTOKEN: 'Authtoken', OPERATOR: 'Operator' }[actor]
}

const actor = (entry: ConsoleAuditEntry, { at }: Site): Html => {
  const { user, role } = entry
  const name = user ? html`<a href="${at(AUDIT)}?user=${user.id}">${actorLabel(entry)}</a>` : actorLabel(entry)
  return html`${name}${role && html` <span class="quiet">${ROLE_LABELS[role]}</span>`}`
}

/** What people read for a kind of object. */
export const nounLabel = (noun: AuditNoun): string => wordOf(noun, AUDIT_NOUNS)

const object = ({ noun, objectNumber, kind }: ConsoleAuditEntry, { at }: Site): Html => {
  const name = `${nounLabel(noun)} ${objectNumber}`
  const path = kind === 'DELETED' ? null : auditPathOf(noun, objectNumber)
  return html`${path === null ? name : html`<a href="${at(path)}">${name}</a>`} ${chip(...KINDS[kind])}`
}

const fields = ({ fields: all, kind }: ConsoleAuditEntry): Html =>
  html`<ul class="plain-list">${all.map(({ name, isChanged, isValueStored, before, after }) => {
    if (!isValueStored) return html`<li>${name} <span class="quiet">changed; not kept</span></li>`
    if (!isChanged || kind !== 'UPDATED') return html`<li>${name}: ${after ?? before}</li>`
    return html`<li>${name}: ${before ?? html`<span class="quiet">nothing</span>`} → ${after ?? html`<span class="quiet">nothing</span>`}</li>`
  })}</ul>`
