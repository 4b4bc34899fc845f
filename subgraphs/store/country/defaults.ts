import { type LookupTable, lookupTable } from '../../../platform/collections/lookup-table.ts'

/**
 * The time zone of a country with several zones, none, or an old spelling in ICU (`Asia/Calcutta`):
 * the most populous of IANA's list. A test compares this table with ICU.
 */
export const TIMEZONES: LookupTable<string> = lookupTable({
  AQ: 'Antarctica/McMurdo',
  AR: 'America/Argentina/Buenos_Aires',
  AU: 'Australia/Sydney',
  BR: 'America/Sao_Paulo',
  BV: 'Europe/Oslo',
  CA: 'America/Toronto',
  CD: 'Africa/Kinshasa',
  CL: 'America/Santiago',
  CN: 'Asia/Shanghai',
  CY: 'Asia/Nicosia',
  DE: 'Europe/Berlin',
  EC: 'America/Guayaquil',
  ER: 'Africa/Asmara',
  ES: 'Europe/Madrid',
  FM: 'Pacific/Pohnpei',
  FO: 'Atlantic/Faroe',
  GL: 'America/Nuuk',
  HM: 'Indian/Kerguelen',
  ID: 'Asia/Jakarta',
  IN: 'Asia/Kolkata',
  KI: 'Pacific/Tarawa',
  KZ: 'Asia/Almaty',
  MH: 'Pacific/Majuro',
  MM: 'Asia/Yangon',
  MN: 'Asia/Ulaanbaatar',
  MX: 'America/Mexico_City',
  MY: 'Asia/Kuala_Lumpur',
  NP: 'Asia/Kathmandu',
  NZ: 'Pacific/Auckland',
  PF: 'Pacific/Tahiti',
  PG: 'Pacific/Port_Moresby',
  PS: 'Asia/Gaza',
  PT: 'Europe/Lisbon',
  RU: 'Europe/Moscow',
  UA: 'Europe/Kyiv',
  UM: 'Pacific/Wake',
  US: 'America/New_York',
  UZ: 'Asia/Tashkent',
  VN: 'Asia/Ho_Chi_Minh',
})

/** The currency where the list of countries names none. */
export const CURRENCIES: LookupTable<string> = lookupTable({ AQ: 'USD' })

/**
 * The language that shops of a country write, where the first of its official languages is not it
 * or it has none.
 */
export const LANGUAGES: LookupTable<string> = lookupTable({ AQ: 'en', BV: 'nb', HM: 'en', IE: 'en', MF: 'fr', ZA: 'en' })
