import type { McpServerPageQuery } from '#generated/operations.ts'
import { chip } from '../../frame/chip.ts'
import { dayOf, whole } from '../../frame/figures.ts'
import { type Html, html } from '../../frame/html.ts'
import { externalLink, shortAddress } from '../../frame/link.ts'

type Package = NonNullable<McpServerPageQuery['mcpServer']>['publishedPackages'][number]

const REGISTRIES: Readonly<Record<Package['registry'], { readonly name: string; readonly address: string }>> = {
  NPM: { name: 'npm', address: 'https://www.npmjs.com/package/' },
  PYPI: { name: 'PyPI', address: 'https://pypi.org/project/' },
}

/** What registries say of the packages that the server is installed from; nothing where none was observed. */
export const packagesSection = (packages: readonly Package[]): Html | false =>
  packages.length > 0 &&
  html`<section aria-labelledby="packages"><h2 id="packages">Packages</h2>
${packages.map(
  ({
    registry,
    name,
    ...said
  }) => html`<h3>${externalLink(`${REGISTRIES[registry].address}${name}`, name)} <span class="quiet">${REGISTRIES[registry].name}</span> ${said.isWithdrawn && chip(registry === 'NPM' ? 'deprecated' : 'yanked', 'bad')}${said.isUnpublished && chip('unpublished', 'bad')}</h3>
<dl class="facts-list">
${said.withdrawnReason !== null && html`<dt>Its publisher says</dt><dd><q>${said.withdrawnReason}</q></dd>`}
<dt>Newest version</dt><dd>${said.version ?? 'unknown'}${said.publishedAt !== null && html` of <time datetime="${said.publishedAt}">${dayOf(said.publishedAt)}</time>`}</dd>
<dt>Downloads</dt><dd>${said.monthlyDownloads === null ? (registry === 'PYPI' ? 'not counted by PyPI' : 'unknown') : `${whole(said.monthlyDownloads)} in 30 days`}</dd>
<dt>Licence</dt><dd>${said.license ?? 'none known'}</dd>
<dt>Source</dt><dd>${said.repositoryUrl === null ? 'none on GitHub' : externalLink(said.repositoryUrl, shortAddress(said.repositoryUrl))}${said.isOfRepository === false && html` ${chip('another repository', 'fair')}`}</dd>
<dt>Install script</dt><dd>${yesOrNo(said.hasInstallScript)}</dd>
<dt>Build attestation</dt><dd>${yesOrNo(said.hasProvenance)}</dd>
${said.advisories !== null && html`<dt>Advisories</dt><dd>${said.advisories.length === 0 ? 'none' : said.advisories.map((id, at) => html`${at > 0 && ', '}${externalLink(`https://osv.dev/vulnerability/${encodeURIComponent(id)}`, id)}`)}</dd>`}
</dl>
<p class="quiet">As ${REGISTRIES[registry].name} answered on <time datetime="${said.observedAt}">${dayOf(said.observedAt)}</time>.</p>`,
)}</section>`

const yesOrNo = (value: boolean | null): string => (value === null ? 'unknown' : value ? 'yes' : 'no')
