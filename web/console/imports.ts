import {
  ConsoleImportsDocument,
  type ConsoleImportsQuery,
  type StoreImportStatus,
  type StoreRecordKind,
} from '#generated/operations.ts'
import { chip, type Tone } from '../frame/chip.ts'
import { counted, momentOf, whole } from '../frame/figures.ts'
import { FORM_TOKEN, type Visit } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { nextLinks, nothingFound } from './list.ts'
import { consolePage } from './page.ts'

export const IMPORTS = '/console/imports'
export const EXPORTS = '/console/exports'

/** Parts of addresses of exports, and what people read. */
const EXPORT_KINDS = { products: 'Products', customers: 'Customers', orders: 'Orders' } as const

const STATUSES: Readonly<Record<StoreImportStatus, readonly [label: string, tone: Tone]>> = {
  RECEIVING: ['file is arriving', 'none'],
  QUEUED: ['waiting', 'doubt'],
  RUNNING: ['running', 'doubt'],
  COMPLETED: ['completed', 'good'],
  CANCELED: ['canceled', 'none'],
  FAILED: ['failed', 'bad'],
}

/** The status of an import, in its colour. */
export const importChip = (status: StoreImportStatus): Html => chip(...STATUSES[status])

/** What an import is of, in words. */
export const kindOf = (kind: StoreRecordKind): string => kind.toLowerCase()

type Import = ConsoleImportsQuery['storeImports']['nodes'][number]

export const imports = consolePage({
  path: IMPORTS,
  label: 'Import and export',
  needs: ['store_owner'],
  operations: [ConsoleImportsDocument],
  parameters: { after: { kind: 'text', max: 1_000 } },
  notices: { canceled: 'The import was canceled. What it had written stays.' },
  async body({ query, run, site, visit }) {
    const { storeImports: found } = dataOf(await run(ConsoleImportsDocument, { after: query.after }))
    return html`<h1>Import and export</h1>
<div class="halves">
<section aria-labelledby="upload"><h2 id="upload">Import a file</h2>
${uploadForm(visit, site)}</section>
<section aria-labelledby="download"><h2 id="download">Export</h2>
<p>CSV has the columns of Shopify, for spreadsheets and other shops. JSON lines hold products and customers without loss.</p>
<ul>${Object.entries(EXPORT_KINDS).map(
      ([kind, label]) =>
        html`<li>${label}: <a href="${site.at(`${EXPORTS}/${kind}.csv`)}" download aria-label="${label} as CSV">CSV</a>, <a href="${site.at(`${EXPORTS}/${kind}.jsonl`)}" download aria-label="${label} as JSON lines">JSON lines</a></li>`,
    )}</ul></section>
</div>
<section aria-labelledby="imports"><h2 id="imports">Imports</h2>
${found.totalCount === 0 ? nothingFound(query, 'imports', html`Choose a file above. Imports are listed here for 30 days.`) : html`<p>${counted(found.totalCount, 'import')}, the newest first.</p>`}
${found.nodes.length > 0 && table(found.nodes, site)}
${nextLinks(IMPORTS, query, found.pageInfo, site)}</section>`
  },
})

const uploadForm = ({ formToken }: Visit, { at }: Site): Html =>
  html`<form method="post" action="${at(IMPORTS)}" enctype="multipart/form-data"><input type="hidden" name="${FORM_TOKEN}" value="${formToken}">
<p><label for="kind">The file contains</label><select id="kind" name="kind"><option value="PRODUCTS">products</option><option value="CUSTOMERS">customers</option><option value="ORDERS">orders</option></select></p>
<p><label for="format">Format</label><select id="format" name="format"><option value="CSV">CSV, as Shopify exports it</option><option value="JSON_LINES">JSON lines, as exported here</option></select></p>
<p><label><input type="checkbox" name="overwrite" value="yes"> Change what exists already; otherwise it is skipped</label></p>
<p><label><input type="checkbox" name="dryRun" value="yes"> Only check the file, and write nothing</label></p>
<details><summary>For orders</summary>
<p class="quiet">Orders are history: their sums are checked, and nobody gets an e-mail. One that was imported before is skipped.</p>
<p><label for="source">Shop that they come from</label><input type="text" id="source" name="source" maxlength="50" placeholder="import" aria-describedby="source-hint"></p>
<p class="quiet" id="source-hint">With the number of an order it says which order that is.</p>
<p><label><input type="checkbox" name="takesStock" value="yes"> Orders that are to be fulfilled reserve their stock</label></p>
<p><label><input type="checkbox" name="sendsEvents" value="yes"> Webhooks and apps get the events of new orders</label></p></details>
<p><label for="file">File of at most 100 MB, in UTF-8</label><input type="file" id="file" name="file" accept=".csv,.jsonl,.ndjson,text/csv" required></p>
<p><button>Import</button></p>
</form>`

const table = (nodes: readonly Import[], { at }: Site): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="Imports"><table class="stack">
<thead><tr><th scope="col">Import</th><th scope="col">Status</th><th scope="col" class="number">Created</th><th scope="col" class="number">Changed</th><th scope="col" class="number">Skipped</th><th scope="col" class="number">With errors</th><th scope="col">Begun</th></tr></thead>
<tbody>${nodes.map(
    ({ number, kind, status, isDryRun, fileName, created, updated, skipped, failed, createdAt }) =>
      html`<tr><th scope="row"><a href="${at(`${IMPORTS}/${number}`)}">${number}, ${kindOf(kind)}${isDryRun && ', check only'}</a>${fileName !== null && html`<br><span class="quiet">${fileName}</span>`}</th><td>${importChip(status)}</td><td class="number" data-label="Created">${whole(created)}</td><td class="number" data-label="Changed">${whole(updated)}</td><td class="number" data-label="Skipped">${whole(skipped)}</td><td class="number" data-label="With errors">${whole(failed)}</td><td><time datetime="${createdAt}">${momentOf(createdAt)}</time></td></tr>`,
  )}</tbody></table></div>`
