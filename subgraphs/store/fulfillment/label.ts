import { createRequire } from 'node:module'
import type { Location } from '../location/location.ts'
import { nameIn } from '../order/customer/address.ts'
import type { Store } from '../store/store.ts'
import type { Fulfillment, Package } from './fulfillment.ts'

const require = createRequire(import.meta.url)

/** What a label says; texts are cut where there is no more room. */
export type Label = {
  readonly sender: string
  readonly receiver: string
  readonly carrier: string
  /** Null: not known. */
  readonly trackingNumber: string | null
  readonly references: string
  /** Null without. */
  readonly notes: string | null
  /** A page each: at least one. */
  readonly packages: readonly string[]
}

/** What is stuck on the packages of a fulfillment. */
export function labelOf(fulfillment: Fulfillment, location: Location, store: Store): Label {
  const { id, orderNumber, address, type, serviceType, trackingCompany, trackingNumber, packages } = fulfillment
  const { address: origin } = location
  const parts = packages.length === 0 ? [null] : packages
  return {
    sender: lines([
      store.name,
      location.name,
      words([origin.address, origin.streetNumber, origin.complement]),
      words([origin.postal, origin.city]),
      words([origin.region, origin.country]),
    ]),
    receiver: lines([
      nameIn(address),
      words([address?.address, address?.streetNumber, address?.complement]),
      words([address?.neighbourhood, address?.municipality]),
      words([address?.postal, address?.city]),
      words([address?.region ?? address?.regionCode, address?.country ?? address?.countryCode]),
      words([fulfillment.phonePrefix, fulfillment.phone]),
    ]),
    carrier: [trackingCompany ?? type.replaceAll('_', ' '), serviceType].filter((text) => text).join(' · '),
    trackingNumber,
    references: [orderNumber === null ? null : `Order ${orderNumber}`, `Fulfillment ${id}`].filter((text) => text).join(' · '),
    notes: lines([fulfillment.message, fulfillment.observations]) || null,
    packages: parts.map((each, index) =>
      [`Package ${index + 1} of ${parts.length}`, ...(each ? measuresOf(each, store) : [])].join(' · '),
    ),
  }
}

function measuresOf({ length, width, height, weight }: Package, { weightUnit }: Store): readonly string[] {
  const size = length !== null && width !== null && height !== null ? [`${length} × ${width} × ${height} cm`] : []
  return weight === null ? size : [`${weight} ${weightUnit.toLowerCase()}`, ...size]
}

const words = (texts: readonly (string | null | undefined)[]): string => texts.filter((text) => text).join(' ')
const lines = (texts: readonly (string | null)[]): string => texts.filter((text) => text).join('\n')

/** Points: a page of A6 with 6 mm around what is said. */
const [WIDTH, HEIGHT, EDGE] = [298, 420, 17]
/** What the built-in fonts of PDF can write; anything else takes a hundred times as long. */
const LATIN_1 = /^[\n\x20-\x7e\xa0-\xff]*$/

/**
 * Draws a label as a PDF, dated `at`. Characters that DejaVu Sans does not have, such as Chinese
 * ones, are drawn as boxes.
 */
export async function drawLabel(label: Label, at: Date): Promise<Buffer> {
  // Loaded when the first label is drawn: most processes never draw one.
  const { default: PDFDocument } = await import('pdfkit')
  const info = { Title: label.references, CreationDate: at, ModDate: at }
  const pdf = new PDFDocument({ size: [WIDTH, HEIGHT], margin: 0, autoFirstPage: false, info })
  const isLatin = Object.values(label).every((texts) => texts === null || LATIN_1.test([texts].flat().join('\n')))
  const fonts = isLatin
    ? { plain: 'Helvetica', bold: 'Helvetica-Bold' }
    : {
        plain: require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf'),
        bold: require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf'),
      }
  const put = (text: string, { top, room, size, font }: { top: number; room: number; size: number; font: string }) =>
    pdf
      .font(font)
      .fontSize(size)
      .text(text, EDGE, top, { width: WIDTH - 2 * EDGE, height: room, ellipsis: true })
  const rule = (top: number) =>
    pdf
      .moveTo(EDGE, top)
      .lineTo(WIDTH - EDGE, top)
      .stroke()

  for (const part of label.packages) {
    pdf.addPage()
    put(label.sender, { top: EDGE, room: 62, size: 9, font: fonts.plain })
    rule(88)
    put(label.receiver, { top: 98, room: 120, size: 13, font: fonts.bold })
    rule(228)
    put(label.carrier, { top: 238, room: 16, size: 11, font: fonts.plain })
    if (label.trackingNumber !== null) put(label.trackingNumber, { top: 258, room: 44, size: 16, font: fonts.bold })
    rule(312)
    put(`${label.references}\n${part}`, { top: 322, room: 24, size: 9, font: fonts.plain })
    if (label.notes !== null) put(label.notes, { top: 352, room: 50, size: 9, font: fonts.plain })
  }
  pdf.end()
  const chunks: Uint8Array[] = []
  // pdfkit's stream yields bytes.
  for await (const chunk of pdf) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}
