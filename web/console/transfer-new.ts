import {
  ConsoleCreateTransferDocument,
  ConsoleTransferFormDocument,
  ConsoleTransferItemDocument,
  type InventoryTransferLineInput,
} from '#generated/operations.ts'
import { refusedFields, toChanged } from '../frame/change.ts'
import { changeForm } from '../frame/form-token.ts'
import { html } from '../frame/html.ts'
import { dataOf, type RunPageOperation } from '../frame/page.ts'
import { consoleChange } from './change.ts'
import { onceField, selectInput, textArea, textInput } from './fields.ts'
import { consolePage } from './page.ts'
import { type FormReader, readForm } from './read-form.ts'
import { TRANSFERS } from './transfers.ts'

const PATH = `${TRANSFERS}/new`
/** Each is looked up by itself. More are sent by a program. */
export const MAX_ITEM_LINES = 50

export const newTransfer = consolePage({
  path: PATH,
  label: 'New transfer',
  needs: ['read_products', 'read_locations'],
  operations: [ConsoleTransferFormDocument],
  async body({ run, site, visit, form: formAt }) {
    const { locations } = dataOf(await run(ConsoleTransferFormDocument, {}))
    const options = locations.map(({ number, name }) => [String(number), name] as const)
    const form = formAt(PATH)
    const trail = html`<p class="trail"><a href="${site.at(TRANSFERS)}">Transfers</a></p><h1>New transfer</h1>`
    if (options.length < 2)
      return html`${trail}<div class="empty" role="status"><p><strong>A transfer needs two locations.</strong></p><p>Add them in the <a href="${site.at('/console/settings')}">settings</a>.</p></div>`
    return html`${trail}
<div class="edit">${changeForm(
      PATH,
      visit,
      site,
      html`${onceField()}<div class="fields">${selectInput(form, { name: 'sourceId', label: 'From', stored: options[0]?.[0] ?? '', options })}
${selectInput(form, { name: 'destinationId', label: 'To', stored: options[1]?.[0] ?? '', options })}</div>
${textArea(form, { name: 'lines', label: 'Items', stored: '', rows: 6, maxLength: 10_000, isRequired: true, hint: `One a line: stock keeping unit (SKU), a space, units. At most ${MAX_ITEM_LINES}.` })}
${textInput(form, { name: 'note', label: 'Note', stored: '', maxLength: 1_000 })}
<p><button>Write down the transfer</button></p>
<p class="quiet">No stock moves before you send it.</p>`,
    )}</div>`
  },
})

export const newTransferChange = consoleChange({
  path: PATH,
  on: newTransfer,
  operations: [ConsoleCreateTransferDocument, ConsoleTransferItemDocument],
  async make({ field, run }) {
    const form = readForm(field)
    const lines = await itemLinesOf(form, run)
    const input = {
      sourceId: form.text('sourceId'),
      destinationId: form.text('destinationId'),
      lines,
      note: form.optional('note'),
      idempotencyKey: form.idempotencyKey(),
    }
    if (form.hasProblems()) return refusedFields(form.problems())
    const { result } = dataOf(await run(ConsoleCreateTransferDocument, { input }))
    const number = result.__typename === 'InventoryTransferSuccess' ? result.inventoryTransfer.number : ''
    return toChanged(result, { at: `${TRANSFERS}/${number}`, notice: 'created' })
  },
})

/** Items of the field `lines`: a stock keeping unit and units in each line. */
export async function itemLinesOf(form: FormReader, run: RunPageOperation): Promise<readonly InventoryTransferLineInput[]> {
  const texts = (form.lines('lines') ?? '').split('\n').filter((text) => text.trim() !== '')
  if (texts.length < 1 || texts.length > MAX_ITEM_LINES) form.refuse('lines', `Enter 1 to ${MAX_ITEM_LINES} lines.`)
  const lines: InventoryTransferLineInput[] = []
  for (const text of texts.slice(0, MAX_ITEM_LINES)) {
    const [, sku = '', units = ''] = /^\s*(\S.{0,254}?)\s+(\d{1,10})\s*$/.exec(text) ?? []
    if (sku === '') {
      form.refuse('lines', `Expected a stock keeping unit, a space and units, got “${text.slice(0, 60)}”.`)
      break
    }
    const item = await itemOf(sku, run)
    if (item === null) {
      form.refuse('lines', `Expected the stock keeping unit of one item, got “${sku.slice(0, 60)}”.`)
      break
    }
    lines.push({ ...item, quantity: Math.min(Number(units), 2_000_000_000) })
  }
  return lines
}

/** The item with a stock keeping unit; null: there is none, or several have it. */
export async function itemOf(sku: string, run: RunPageOperation): Promise<Omit<InventoryTransferLineInput, 'quantity'> | null> {
  const { products } = dataOf(await run(ConsoleTransferItemDocument, { sku }))
  const items = products.nodes.flatMap((product): readonly Omit<InventoryTransferLineInput, 'quantity'>[] => {
    const variants = product.variants.filter((variant) => variant.sku === sku)
    if (product.variants.length === 0) return product.sku === sku ? [{ productId: product.id, variantId: null }] : []
    return variants.map((variant) => ({ productId: product.id, variantId: variant.id }))
  })
  const [item] = items
  return items.length === 1 && item ? item : null
}
