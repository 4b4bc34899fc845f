import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { type Amount, amountOf, ONE } from '../amount.ts'
import { countryOf } from '../country/country.ts'
import { urlProblem } from '../input.ts'
import { credentialProblem } from '../payment-method/payment-method.ts'
import type { ShippingFee, ShippingMethod, ShippingMethodType, ShippingTable } from './shipping-method.ts'
import type { Zone } from './zone.ts'

/** Fields of a shipping method to write. */
export type ShippingMethodFields = Omit<ShippingMethod, 'id' | 'hasToken' | 'createdAt' | 'updatedAt' | 'version'>

/** What the schema promises. */
export const MAX_SHIPPING_METHODS = 250
const MAX_FEES = 10
const MAX_TABLES = 100
const MAX_VALUES = 200
const MAX_LOCATIONS = 1_000
/** Carriers are no types of new methods: old ones may exist, new ones are EXTERNAL. */
const CREATED: readonly ShippingMethodType[] = ['FREE', 'FLAT', 'TABLES', 'EXTERNAL']

/** Problems of a shipping method, in the order of its fields. `token` undefined: unchanged. */
export function shippingMethodProblems(fields: ShippingMethodFields, token: string | null | undefined): readonly Problem[] {
  const { type, name, freeShippingFrom, fees, tables, callbackUrl, fetchServicesUrl, fallbackPrice, state, city, postal } = fields
  return problemsIn([
    textProblem('name', name, 200),
    freeShippingFrom === null ? null : moneyProblem('freeShippingFrom', freeShippingFrom),
    countProblem('fees', fees, 0, MAX_FEES),
    ...fees.map((fee, index) => feeProblem(`fees.${index}.value`, fee)),
    ...(type === 'EXTERNAL' ? [] : onlyExternal({ callbackUrl, fetchServicesUrl, token, fallbackPrice, state, city, postal })),
    type === 'EXTERNAL' && callbackUrl === null ? problem('callbackUrl', 'an http or https URL', null) : null,
    callbackUrl === null ? null : urlProblem('callbackUrl', callbackUrl),
    fetchServicesUrl === null ? null : urlProblem('fetchServicesUrl', fetchServicesUrl),
    credentialProblem('token', token),
    fallbackPrice === null ? null : moneyProblem('fallbackPrice', fallbackPrice),
    state === null ? null : textProblem('state', state, 200),
    city === null ? null : textProblem('city', city, 200),
    postal === null ? null : textProblem('postal', postal, 20),
    type === 'TABLES' ? countProblem('tables', tables, 1, MAX_TABLES) : countProblem('tables', tables, 0, 0),
    ...tables.flatMap((table, index) => tableProblems(`tables.${index}`, table)),
  ])
}

/** The problem of the type of a new shipping method; null when it is valid. */
export const typeProblem = (type: ShippingMethodType): Problem | null =>
  CREATED.includes(type) ? null : problem('type', CREATED.join(', '), type)

const onlyExternal = (fields: Readonly<Record<string, string | null | undefined>>): readonly Problem[] =>
  Object.entries(fields)
    .filter(([, value]) => value != null)
    .map(([field]) => problem(field, 'absent unless the type is EXTERNAL', 'something'))

const countProblem = (field: string, list: readonly unknown[], least: number, max: number): Problem | null =>
  list.length >= least && list.length <= max ? null : problem(field, `a list of ${least} to ${max}`, list.length)

const moneyProblem = (field: string, value: string, max: Amount | null = null): Problem | null => {
  const amount = amountOf(value)
  if (amount >= 0n && (max === null || amount <= max)) return null
  return problem(field, max === null ? '0 or more' : '0 to 100', value)
}

const feeProblem = (field: string, { type, value }: ShippingFee): Problem | null =>
  moneyProblem(field, value, type === 'PERCENTAGE' ? 100n * ONE : null)

function tableProblems(at: string, { values, locations }: ShippingTable): readonly (Problem | null)[] {
  const from = new Set<Amount>()
  return [
    countProblem(`${at}.values`, values, 1, MAX_VALUES),
    ...values.flatMap(({ amount, price }, index) => {
      const isTwice = from.has(amountOf(amount))
      from.add(amountOf(amount))
      return [
        moneyProblem(`${at}.values.${index}.amount`, amount),
        isTwice ? problem(`${at}.values.${index}.amount`, 'different from those of the other values', amount) : null,
        moneyProblem(`${at}.values.${index}.price`, price),
      ]
    }),
    countProblem(`${at}.locations`, locations, 0, MAX_LOCATIONS),
    ...locations.flatMap((location, index) => locationProblems(`${at}.locations.${index}`, location)),
  ]
}

function locationProblems(
  at: string,
  { country, region, municipality, postalCodeRangeStart, postalCodeRangeEnd }: Zone,
): readonly (Problem | null)[] {
  const code = (field: string, text: string | null, max: number) =>
    text === null ? null : textProblem(`${at}.${field}`, text, max)
  return [
    country !== null && countryOf(country)?.code === country
      ? null
      : problem(`${at}.country`, 'an ISO 3166-1 alpha-2 code such as "PT"', country),
    code('region', region, 20),
    code('municipality', municipality, 40),
    code('postalCodeRangeStart', postalCodeRangeStart, 20),
    code('postalCodeRangeEnd', postalCodeRangeEnd, 20),
    (postalCodeRangeStart === null) === (postalCodeRangeEnd === null)
      ? null
      : problem(
          `${at}.${postalCodeRangeStart === null ? 'postalCodeRangeStart' : 'postalCodeRangeEnd'}`,
          'there with the other end of the range',
          null,
        ),
  ]
}
