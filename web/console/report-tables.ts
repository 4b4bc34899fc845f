import type { ConsoleReportsQuery } from '#generated/operations.ts'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import { counted } from '../frame/figures.ts'

type Column = {
  /** Head of the column in files. */
  readonly name: string
  /** Head of the column on the page; absent: only files have it. */
  readonly label?: string
  readonly kind: 'text' | 'count' | 'money'
}

/** Rows of a report, for a page and for a file. */
export type ReportTable = {
  readonly heading: string
  /** What a row is about. */
  readonly subject: string
  /** What the plot shows of each row. */
  readonly plotted: string
  readonly currency: string
  readonly columns: readonly Column[]
  readonly rows: readonly {
    readonly label: string
    /** In the order of the columns; null: unknown. */
    readonly values: readonly (string | number | boolean | null)[]
    /** As a number only to be drawn. */
    readonly bar: number
  }[]
}

/** Words of addresses for reports. */
export const REPORT_NAMES = ['products', 'sources', 'taxes', 'stock'] as const

/** The reports of a period, and of the stock as it is now. */
export const reportTables = ({ salesReport, stockValue }: ConsoleReportsQuery): LookupTable<ReportTable> =>
  lookupTable({
    products: productTable(salesReport),
    sources: sourceTable(salesReport),
    taxes: taxTable(salesReport),
    stock: stockTable(stockValue),
  })

const text = (name: string, label?: string): Column => ({ name, kind: 'text', ...(label !== undefined && { label }) })
const count = (name: string, label?: string): Column => ({ name, kind: 'count', ...(label !== undefined && { label }) })
const money = (name: string, label: string): Column => ({ name, kind: 'money', label })

type Sales = ConsoleReportsQuery['salesReport']

function productTable({ currency, products, shipping }: Sales): ReportTable {
  const amounts = [count('units', 'Units'), money('net', 'Net'), money('tax', 'Tax'), count('refundedUnits', 'Refunded units')]
  return {
    ...{ heading: 'Sales by product', subject: 'Product', plotted: 'Net sales', currency },
    columns: [count('productCount'), text('productNumber'), text('name'), ...amounts, money('refunded', 'Refunded')],
    rows: [
      ...products.map(({ productCount, productNumber, name, units, net, tax, refundedUnits, refunded }) => ({
        label: name ?? counted(productCount, 'other product'),
        values: [productCount, productNumber ?? null, name ?? null, units, net, tax, refundedUnits, refunded],
        bar: Number(net),
      })),
      ...(products.length > 0 || Number(shipping.net) > 0
        ? [
            {
              label: 'Shipping, and refunds without lines',
              values: [0, null, 'Shipping', 0, shipping.net, shipping.tax, 0, shipping.refunded],
              bar: Number(shipping.net),
            },
          ]
        : []),
    ],
  }
}

function sourceTable({ currency, sources }: Sales): ReportTable {
  const parts = ['createdFrom', 'createdFromAppCode', 'sourceName', 'medium', 'campaign'] as const
  const orders = [count('ordersPlaced', 'Placed'), count('ordersPaid', 'Paid'), count('ordersCanceled', 'Canceled')]
  return {
    ...{ heading: 'Sales by source', subject: 'Source', plotted: 'Gross sales', currency },
    columns: [
      ...[count('sourceCount'), ...parts.map((part) => text(part)), ...orders],
      ...[money('gross', 'Gross'), money('net', 'Net'), money('refunded', 'Refunded')],
    ],
    rows: sources.map((source) => {
      const { sourceCount, ordersPlaced, ordersPaid, ordersCanceled, gross, net, refunded } = source
      const known = parts.flatMap((part) => source[part] ?? [])
      return {
        label: sourceCount > 1 ? `${sourceCount} other sources` : known.join(' / ') || 'unknown',
        values: [
          ...[sourceCount, ...parts.map((part) => source[part] ?? null), ordersPlaced, ordersPaid, ordersCanceled],
          ...[gross, net, refunded],
        ],
        bar: Number(gross),
      }
    }),
  }
}

function taxTable({ currency, taxes }: Sales): ReportTable {
  return {
    ...{ heading: 'Taxes', subject: 'Tax', plotted: 'Tax', currency },
    columns: [
      ...[count('taxCount'), text('name'), text('country', 'Country'), text('region', 'Region'), text('rate')],
      ...[text('fixed'), text('onShipping'), money('net', 'Taxed'), money('amount', 'Tax')],
    ],
    rows: taxes.map(({ taxCount, name, country, region, rate, fixed, onShipping, net, amount }) => ({
      label:
        taxCount > 1
          ? `${taxCount} other taxes`
          : `${name} ${rate}${fixed ? ' a unit' : ' %'}${onShipping ? ' on shipping' : ''}`,
      values: [
        ...[taxCount, name ?? null, country ?? null, region ?? null, rate ?? null, fixed ?? null, onShipping ?? null],
        ...[net, amount],
      ],
      bar: Number(amount),
    })),
  }
}

function stockTable({ currency, locations }: ConsoleReportsQuery['stockValue']): ReportTable {
  return {
    ...{ heading: 'Stock value now', subject: 'Location', plotted: 'Stock at price', currency },
    columns: [
      ...[text('locationNumber'), text('location'), count('units', 'Units'), count('unitsWithoutCost', 'Without cost')],
      ...[money('cost', 'At cost'), money('price', 'At price')],
    ],
    rows: locations.map(({ locationNumber, location, units, unitsWithoutCost, cost, price }) => ({
      label: location?.name ?? 'no location',
      values: [locationNumber ?? null, location?.name ?? null, units, unitsWithoutCost, cost ?? null, price],
      bar: Number(price),
    })),
  }
}
