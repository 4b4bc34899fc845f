import { ConsoleCancelImportDocument, ConsoleImportDocument, type ConsoleImportQuery } from '#generated/operations.ts'
import { toChanged } from '../frame/change.ts'
import { counted, whole } from '../frame/figures.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import { type ConsoleChange, consoleChange } from './change.ts'
import { IMPORTS, importChip, kindOf } from './imports.ts'
import { isRestId, nextLinks } from './list.ts'
import { consolePage } from './page.ts'

type Import = NonNullable<ConsoleImportQuery['storeImport']>

export const importPage = consolePage({
  path: `${IMPORTS}/{number}`,
  label: 'Import',
  needs: ['store_owner'],
  operations: [ConsoleImportDocument],
  parameters: { after: { kind: 'text', max: 1_000 } },
  scripts: ['live.js'],
  async body({ path: { number }, query, run, site, visit }) {
    if (!isRestId(number)) return null
    const { storeImport: found } = dataOf(await run(ConsoleImportDocument, { number, after: query.after }))
    if (!found) return null
    const at = `${IMPORTS}/${number}`
    const { errors } = found
    return html`<p><a href="${site.at(IMPORTS)}">Import and export</a></p>
<h1>Import ${number} of ${kindOf(found.kind)}</h1>
<div id="progress" data-live>${progressOf(found)}
${isOpen(found) && html`<p><a href="${site.at(at)}">Show the progress of now</a></p>`}</div>
${isOpen(found) && changeForm(`${at}/cancel`, visit, site, html`<p><button class="secondary">Cancel the import</button></p>`)}
<section aria-labelledby="errors"><h2 id="errors">Errors</h2>
${errors.totalCount === 0 ? html`<p>No errors${isOpen(found) && ' so far'}.</p>` : errorTable(found)}
${nextLinks(at, query, errors.pageInfo, site)}</section>`
  },
})

export const importChanges: readonly ConsoleChange[] = [
  consoleChange({
    path: `${IMPORTS}/{number}/cancel`,
    on: importPage,
    operations: [ConsoleCancelImportDocument],
    async make({ path: { number }, run }) {
      return toChanged(dataOf(await run(ConsoleCancelImportDocument, { number })).result, { at: IMPORTS, notice: 'canceled' })
    },
  }),
]

const isOpen = ({ finishedAt }: Import): boolean => finishedAt === null

function progressOf(found: Import): Html {
  const { kind, status, isDryRun, overwrite, source, fileName, byteCount, bytesRead, failure } = found
  const { processed, created, updated, skipped, failed } = found
  const percent = byteCount === 0 ? 0 : Math.floor((100 * bytesRead) / byteCount)
  return html`<p>${importChip(status)} ${fileName}${source !== null && ` from ${source}`}${isDryRun && ' – only a check: nothing is written'}</p>
${failure !== null && html`<div role="alert" class="alert tone-bad"><p>${failure}</p></div>`}
<p><progress max="100" value="${percent}" aria-label="Part of the file that was read">${percent} %</progress> ${percent} % of ${counted(Math.ceil(byteCount / 1_000), 'kilobyte')}, ${counted(processed, 'object')}</p>
<dl class="facts"><div><dt>${isDryRun ? 'Would be created' : 'Created'}</dt><dd>${whole(created)}</dd></div><div><dt>${isDryRun ? 'Would be changed' : 'Changed'}</dt><dd>${whole(updated)}</dd></div><div><dt>Skipped</dt><dd>${whole(skipped)}</dd></div><div><dt>With errors</dt><dd>${whole(failed)}</dd></div></dl>
${skipped > 0 && kind === 'ORDERS' && html`<p class="quiet">What was imported before was skipped.</p>`}
${skipped > 0 && kind !== 'ORDERS' && !overwrite && html`<p class="quiet">What exists already was skipped. Choose “Change what exists already” to change it.</p>`}`
}

const errorTable = ({
  errors,
  failed,
}: Import): Html => html`<p>${counted(failed, 'object')} with errors left out; the rest was imported.</p>
<div class="wide" tabindex="0" role="region" aria-label="Errors"><table>
<thead><tr><th scope="col" class="number">Row</th><th scope="col">Column</th><th scope="col">Problem</th></tr></thead>
<tbody>${errors.nodes.map(({ row, column, message }) => html`<tr><th scope="row" class="number">${whole(row)}</th><td>${column || 'whole row'}</td><td>${message}</td></tr>`)}</tbody></table></div>`
