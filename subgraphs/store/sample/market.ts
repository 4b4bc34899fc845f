import { type LookupTable, lookupTable } from '../../../platform/collections/lookup-table.ts'
import { amountOf, minorUnitOf, ONE, rounded, textOf } from '../amount.ts'

/**
 * What about a euro buys, where that is far from one of the currency: rough, for prices that look
 * right.
 */
const PER_EURO: LookupTable<number> = lookupTable({
  ARS: 1500,
  BRL: 6,
  CLP: 1000,
  CNY: 8,
  COP: 4500,
  CRC: 580,
  CZK: 25,
  DKK: 7,
  DOP: 65,
  EGP: 55,
  HKD: 9,
  HUF: 400,
  IDR: 18000,
  INR: 95,
  ISK: 145,
  JPY: 160,
  KES: 150,
  KRW: 1500,
  MXN: 20,
  NGN: 1700,
  NOK: 11,
  PEN: 4,
  PHP: 65,
  PLN: 4,
  PYG: 8500,
  RON: 5,
  SEK: 11,
  THB: 38,
  TRY: 45,
  TWD: 35,
  UAH: 48,
  UYU: 46,
  VND: 29000,
  ZAR: 20,
})

/** Value added tax in percent, where a sample store is likely; elsewhere 20. */
const TAX: LookupTable<string> = lookupTable({
  AR: '21',
  BR: '17',
  CL: '19',
  CO: '19',
  DE: '19',
  ES: '21',
  GB: '20',
  IE: '23',
  IT: '22',
  MX: '16',
  NL: '21',
  PE: '18',
  PT: '23',
  US: '8',
})

/** What a sum in euros is in a currency, as exact text: in whole tens where that is many. */
export function priceIn(currency: string, euros: number): string {
  const factor = PER_EURO[currency] ?? 1
  const unit = minorUnitOf(currency)
  return textOf(rounded(amountOf((euros * factor).toFixed(2)), factor >= 100 ? 10n * ONE : factor > 1 ? ONE : unit))
}

/** The tax of a country in percent. */
export const taxIn = (country: string): string => TAX[country] ?? '20'
