import type { ComparedItemFragment } from '#generated/operations.ts'
import { chip } from '../frame/chip.ts'
import { compact, counted, dayOf } from '../frame/figures.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import { kindIcon } from '../item/category-icon.ts'
import { levelMark, levelSentence } from '../item/item-trust.ts'
import { KIND_LABELS } from '../item/kind.ts'
import { LICENSE_FAMILIES } from '../item/license-family.ts'
import { newestRelease } from '../item/release.ts'
import { knownStars } from '../item/stars.ts'

type Item = ComparedItemFragment
type Server = Extract<Item, { readonly envVars: unknown }>

/** A row of the comparison: what it is about, and how an item answers beside the others. */
export type ComparisonRow = { readonly name: string; readonly cell: (item: Item, all: readonly Item[]) => Content }

/** Names that a cell shows; how many more there are is said. */
const MAX_NAMES = 12

const isServer = (item: Item): item is Server => 'envVars' in item

/** For rows that only servers have. */
const ofServer =
  (cell: (server: Server, servers: readonly Server[]) => Content): ComparisonRow['cell'] =>
  (item, all) =>
    isServer(item) ? cell(item, all.filter(isServer)) : html`<span class="quiet">not a server</span>`

const quiet = (text: string): Html => html`<span class="quiet">${text}</span>`

const names = (texts: readonly string[]): Html =>
  html`${texts.slice(0, MAX_NAMES).map((text, at) => html`${at > 0 && ' '}<code>${text}</code>`)}${texts.length > MAX_NAMES && quiet(` and ${texts.length - MAX_NAMES} more`)}`

/** What a part of the trust in an item says. */
function findingsOf({ itemTrust: { parts } }: Item, subject: Item['itemTrust']['parts'][number]['subject']): Html {
  const findings = parts.find((part) => part.subject === subject)?.findings ?? []
  return findings.length === 0
    ? quiet('no evidence')
    : html`${findings.map(({ level, meaning, detail }) => html`<div>${levelMark(level)} ${meaning} ${detail !== null && html`<code>${detail}</code>`}</div>`)}`
}

const publisherOf = (item: Item): string =>
  'owner' in item ? item.owner : 'marketplaceSlug' in item ? item.marketplaceSlug : item.slug

function installOf(item: Item): Html {
  const command = 'installCommand' in item ? item.installCommand : (item.installConfigs[0]?.content ?? item.docsUrl)
  return html`<pre tabindex="0" aria-label="Installation of ${item.name}"><code>${command}</code></pre>`
}

/** Names of tools that all servers have which list any. */
function commonTools(servers: readonly Server[]): ReadonlySet<string> {
  const listed = servers.filter(({ toolNames }) => toolNames.length > 0)
  const [first, ...others] = listed.map(({ toolNames }) => toolNames)
  const sets = others.map((tools) => new Set(tools))
  return new Set(listed.length < 2 ? [] : first?.filter((name) => sets.every((set) => set.has(name))))
}

function toolsOf({ toolNames }: Server, servers: readonly Server[]): Content {
  if (toolNames.length === 0) return quiet('none known')
  const common = commonTools(servers)
  const own = toolNames.filter((name) => !common.has(name))
  const shared = toolNames.filter((name) => common.has(name))
  return html`<div>${counted(toolNames.length, 'tool')}</div>
${shared.length > 0 && html`<div>In common: ${names(shared)}</div>`}
${own.length > 0 && html`<div>${shared.length > 0 ? 'Others: ' : ''}${names(own)}</div>`}`
}

function variablesOf({ envVars }: Server): Content {
  if (envVars.length === 0) return quiet('none known')
  const secrets = envVars.filter(({ secret }) => secret)
  const required = envVars.filter((one) => one.required && !one.secret)
  const rest = envVars.length - secrets.length - required.length
  return html`${secrets.length > 0 && html`<div>Secrets: ${names(secrets.map(({ name }) => name))}</div>`}
${required.length > 0 && html`<div>Required: ${names(required.map(({ name }) => name))}</div>`}
${rest > 0 && html`<div class="quiet">${counted(rest, 'optional variable')}</div>`}`
}

const transportsOf = ({ installations, transport }: Server): readonly string[] =>
  installations.length === 0 ? [transport] : [...new Set(installations.map((one) => one.transport))]

/** What is compared, in the order in which somebody decides. */
export const ROWS: readonly ComparisonRow[] = [
  { name: 'Kind', cell: ({ kind }) => html`${kindIcon(kind)} ${KIND_LABELS[kind].one}` },
  { name: 'Publisher', cell: (item) => html`<div>${publisherOf(item)}</div>${findingsOf(item, 'PUBLISHER')}` },
  {
    name: 'Trust of the item',
    cell: (item) => {
      const doubts = item.itemTrust.parts
        .filter(({ subject }) => subject !== 'PUBLISHER' && subject !== 'MAINTENANCE')
        .flatMap(({ findings }) => findings)
        .filter(({ level }) => level === 'CAUTION' || level === 'WARNING')
      return html`<div>${levelSentence(item.itemTrust.level)}</div>${doubts.map(({ level, meaning }) => html`<div>${levelMark(level)} ${meaning}</div>`)}`
    },
  },
  {
    name: 'Licence',
    cell: ({ license, licenseFamily }) =>
      license === null ? quiet('none known') : html`${license} ${licenseFamily && quiet(LICENSE_FAMILIES[licenseFamily])}`,
  },
  { name: 'Transports', cell: ofServer((server) => names(transportsOf(server))) },
  {
    name: 'Packages',
    cell: ofServer(({ registryEntry: { packages } }) =>
      packages.length === 0
        ? quiet('none known')
        : packages.map(({ registryType, identifier }) => html`<div>${registryType} <code>${identifier}</code></div>`),
    ),
  },
  { name: 'Environment', cell: ofServer(variablesOf) },
  { name: 'Tools', cell: ofServer(toolsOf) },
  {
    name: 'Last release',
    cell: ofServer((server) => {
      const release = newestRelease(server)
      return release === null
        ? quiet('none known')
        : html`<code>${release.version}</code>${release.publishedAt !== null && html` <time datetime="${release.publishedAt}">${dayOf(release.publishedAt)}</time>`}${release.isWithdrawn && html` ${chip('withdrawn', 'bad')}`}`
    }),
  },
  {
    name: 'Maintenance',
    cell: (item) =>
      html`${isServer(item) && item.deprecated && html`<div>${chip('deprecated', 'bad')}</div>`}${isServer(item) && item.observedRepository?.archived === true && html`<div>${chip('archived', 'bad')}</div>`}${findingsOf(item, 'MAINTENANCE')}
<div class="quiet">Entry changed <time datetime="${item.updatedAt}">${dayOf(item.updatedAt)}</time></div>`,
  },
  {
    name: 'Popularity',
    cell: (item) => {
      const [stars, downloads] = [knownStars(item.popularity), isServer(item) ? item.monthlyDownloads : null]
      if (stars === null && downloads === null) return quiet('unknown')
      return html`${stars !== null && html`<div>${compact(stars)} stars</div>`}${downloads !== null && html`<div>${compact(downloads)} downloads a month</div>`}`
    },
  },
  { name: 'Install', cell: installOf },
]
