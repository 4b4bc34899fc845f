import { emailProblem, type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { countryOf, isCurrency, isTimezone, languageName } from '../country/country.ts'

export const WEIGHT_UNITS = ['KG', 'LB'] as const
export type WeightUnit = (typeof WEIGHT_UNITS)[number]

/** Business address; unknown parts are null. */
export type StoreAddress = {
  readonly address: string | null
  readonly city: string | null
  readonly postal: string | null
  readonly region: string | null
  readonly country: string | null
  readonly regionCode: string | null
  readonly countryCode: string | null
}

/** A shop. */
export type Store = {
  readonly id: number
  readonly code: string
  readonly name: string
  readonly email: string | null
  readonly currency: string
  readonly country: string
  readonly timezone: string
  readonly weightUnit: WeightUnit
  readonly logo: string | null
  /** As it is stored: encrypted where there is a key for that. */
  readonly hooksToken: string
  /** Until when the previous token signs as well; null: there is none. It may be in the past. */
  readonly previousHooksTokenUntil: Date | null
  readonly subscriptionStatus: string
  readonly subscriptionPlan: string
  readonly fbPixelId: string | null
  readonly whatsappPhone: string | null
  readonly address: StoreAddress | null
  /** Null: never. */
  readonly paidSince: Date | null
  /** Opaque id of a user of the social graph; null: the store has no owner. */
  readonly ownerId: string | null
  /** Whether shoppers get an e-mail that confirms their order. */
  readonly sendsOrderConfirmations: boolean
  /** Days in which shoppers can request a return; 0: they cannot. */
  readonly returnWindowDays: number
  /** Whether the installation set it up by itself, as an example. */
  readonly isSample: boolean
  /** Whether owner and staff get e-mails about items that are low in stock. */
  readonly sendsLowStockAlerts: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Fields of a store to change; undefined stays unchanged. */
export type StoreChange = {
  readonly name?: string | null | undefined
  readonly email?: string | null | undefined
  readonly currency?: string | null | undefined
  readonly country?: string | null | undefined
  readonly timezone?: string | null | undefined
  readonly weightUnit?: WeightUnit | null | undefined
  readonly logo?: string | null | undefined
  readonly fbPixelId?: string | null | undefined
  readonly whatsappPhone?: string | null | undefined
  readonly address?: Partial<{ readonly [Key in keyof StoreAddress]: string | null | undefined }> | null | undefined
  readonly languages?: readonly string[] | null | undefined
  readonly sendsOrderConfirmations?: boolean | null | undefined
  readonly sendsLowStockAlerts?: boolean | null | undefined
  readonly returnWindowDays?: number | null | undefined
}

/**
 * Stores that one account may set up within 24 hours; the published limit of `POST
 * /store/setup.json`.
 */
export const SET_UPS_PER_DAY = 5
export const DAY_MS = 24 * 60 * 60 * 1000
const MAX_LANGUAGES = 20
/** A year, for returns. */
const MAX_WINDOW_DAYS = 365

/** 4 to 50 characters, as published. */
export const nameProblem = (name: string): Problem | null =>
  name.trim().length < 4 ? problem('name', '4 to 50 characters', name) : textProblem('name', name, 50)

/** Problems of a change of a store, in the order of its fields. */
export function storeProblems(change: StoreChange): readonly Problem[] {
  const {
    name,
    email,
    currency,
    country,
    timezone,
    weightUnit,
    logo,
    fbPixelId,
    whatsappPhone,
    address,
    languages,
    sendsOrderConfirmations,
    sendsLowStockAlerts,
    returnWindowDays,
  } = change
  const required = (field: string, value: unknown, isRight: (text: string) => boolean, expectation: string) =>
    value === undefined || (typeof value === 'string' && isRight(value)) ? null : problem(field, expectation, value)
  return problemsIn([
    name === undefined ? null : nameProblem(name ?? ''),
    email == null ? null : emailProblem('email', email),
    required('currency', currency, isCurrency, 'an ISO 4217 code such as "EUR"'),
    required('country', country, isCountryCode, 'an ISO 3166-1 alpha-2 code such as "PT"'),
    required('timezone', timezone, isTimezone, 'an IANA time zone such as "Europe/Lisbon"'),
    weightUnit === null ? problem('weightUnit', 'KG or LB', null) : null,
    logo == null ? null : required('logo', logo, isHttpUrl, 'an http or https URL of at most 2000 characters'),
    fbPixelId == null ? null : textProblem('fbPixelId', fbPixelId, 50),
    whatsappPhone == null ? null : textProblem('whatsappPhone', whatsappPhone, 30),
    ...Object.entries(address ?? {}).map(([field, text]) => (text == null ? null : textProblem(`address.${field}`, text, 200))),
    address?.countryCode == null
      ? null
      : required('address.countryCode', address.countryCode, isCountryCode, 'an ISO 3166-1 alpha-2 code such as "PT"'),
    sendsOrderConfirmations === null ? problem('sendsOrderConfirmations', 'true or false', null) : null,
    sendsLowStockAlerts === null ? problem('sendsLowStockAlerts', 'true or false', null) : null,
    returnWindowDays === undefined || (returnWindowDays !== null && returnWindowDays >= 0 && returnWindowDays <= MAX_WINDOW_DAYS)
      ? null
      : problem('returnWindowDays', `0 to ${MAX_WINDOW_DAYS}`, returnWindowDays),
    languages === null || (languages && (languages.length < 1 || languages.length > MAX_LANGUAGES))
      ? problem('languages', `1 to ${MAX_LANGUAGES} languages`, languages?.length ?? null)
      : null,
    ...(languages ?? []).map((tag, index) =>
      required(`languages.${index}`, tag, (text) => languageName(text) !== null, 'a BCP 47 tag such as "pt" or "pt-BR"'),
    ),
  ])
}

/** In upper case, as it is returned. */
export const isCountryCode = (code: string): boolean => countryOf(code)?.code === code

const isHttpUrl = (text: string): boolean => text.length <= 2000 && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
