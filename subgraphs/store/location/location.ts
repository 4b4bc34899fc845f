import { emailProblem, type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { countryOf } from '../country/country.ts'

/** Where a location is; coordinates are exact decimal text. */
export type LocationAddress = {
  readonly address: string
  readonly streetNumber: string | null
  readonly complement: string | null
  readonly city: string
  readonly postal: string | null
  readonly country: string
  readonly region: string | null
  readonly municipality: string | null
  readonly latitude: string | null
  readonly longitude: string | null
  readonly contactName: string | null
  readonly contactSurname: string | null
  readonly taxId: string | null
  readonly taxIdType: string | null
}

/** A place where a store keeps its goods or hands them over. */
export type Location = {
  readonly id: number
  readonly name: string
  readonly email: string | null
  readonly active: boolean
  readonly main: boolean
  readonly pickupPoint: boolean
  readonly isStockOrigin: boolean
  readonly address: LocationAddress
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Fields of a location that the merchant writes. */
export type LocationFields = Omit<Location, 'id' | 'createdAt' | 'updatedAt' | 'version'>

/**
 * Fields as a caller gives them, those of the address among the others: undefined stays as it is,
 * null clears.
 */
export type LocationChange = {
  readonly [Field in Exclude<keyof LocationFields, 'address'>]?: LocationFields[Field] | null | undefined
} & { readonly [Field in keyof LocationAddress]?: LocationAddress[Field] | null | undefined }

export const NEW_LOCATION: LocationFields = {
  name: '',
  email: null,
  active: true,
  main: false,
  pickupPoint: false,
  isStockOrigin: true,
  address: {
    address: '',
    streetNumber: null,
    complement: null,
    city: '',
    postal: null,
    country: '',
    region: null,
    municipality: null,
    latitude: null,
    longitude: null,
    contactName: null,
    contactSurname: null,
    taxId: null,
    taxIdType: null,
  },
}

const NEEDED = ['address', 'city', 'country'] as const

/** The location as it is after the change. Blank texts clear what can be empty: forms send them. */
export function changedLocation(before: LocationFields, change: LocationChange): LocationFields {
  const { address, ...own } = before
  const merged = (fields: object) =>
    Object.fromEntries(
      Object.entries(fields).map(([field, was]) => {
        // Keys of a table of limits for these fields.
        const value = change[field as keyof LocationChange]
        return [field, value === undefined ? was : typeof value === 'string' && value.trim() === '' ? null : value]
      }),
    )
  // The same fields, each of its own type or null, which `locationProblems` refuses where there
  // must be something.
  return { ...merged(own), address: merged(address) } as LocationFields
}

/** Problems of a location after a change. */
export function locationProblems({
  name,
  email,
  active,
  main,
  pickupPoint,
  isStockOrigin,
  address,
}: LocationFields): readonly Problem[] {
  const flags = { active, main, pickupPoint, isStockOrigin }
  const { latitude, longitude, ...texts } = address
  return problemsIn([
    textProblem('name', name ?? '', 100),
    email === null ? null : emailProblem('email', email),
    // The type has no null, but a caller can.
    ...Object.entries(flags).map(([field, flag]) => (flag === null ? problem(field, 'true or false', null) : null)),
    ...Object.entries(texts).map(([field, text]) =>
      text === null || text === ''
        ? NEEDED.some((needed) => needed === field)
          ? problem(field, '1 to 200 characters', text)
          : null
        : textProblem(field, text, 200),
    ),
    texts.country && countryOf(texts.country) === null
      ? problem('country', 'an ISO 3166-1 alpha-2 code such as "PT"', texts.country)
      : null,
    latitude !== null && Math.abs(Number(latitude)) > 90 ? problem('latitude', '-90 to 90', latitude) : null,
    longitude !== null && Math.abs(Number(longitude)) > 180 ? problem('longitude', '-180 to 180', longitude) : null,
  ])
}
