import { passwordProblem } from '../../toolkit/password.ts'
import { emailProblem, type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { textKey } from '../text-key.ts'

/** What `Customer.categories` promises to hold. */
export const MAX_CATEGORIES = 250

export type CustomerStatus = 'APPROVED' | 'PENDING' | 'DISABLED'

/** Address of a customer; unknown parts are null. */
export type CustomerAddress = {
  readonly name: string | null
  readonly surname: string | null
  readonly taxid: string | null
  readonly address: string | null
  readonly city: string | null
  readonly postal: string | null
  readonly municipality: string | null
  readonly region: string | null
  readonly country: string | null
}

/** Customer of a store. */
export type Customer = CustomerFields & {
  readonly id: number
  readonly hasPassword: boolean
  /** Null: never. */
  readonly acceptedMarketingAt: Date | null
  /** Null: never. */
  readonly cancelledMarketingAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Fields of a customer to write, except the password. */
export type CustomerFields = {
  readonly email: string
  readonly phone: string | null
  readonly phonePrefix: string | null
  readonly status: CustomerStatus
  readonly acceptsMarketing: boolean
  readonly shippingAddress: CustomerAddress | null
  readonly billingAddress: CustomerAddress | null
}

/** An address as a caller gives it: undefined stays as it is, null and blank texts clear. */
type AddressChange = { readonly [Field in keyof CustomerAddress]?: string | null | undefined }

/** Fields as a caller gives them: undefined stays as it is, null clears. */
export type CustomerChange = {
  readonly [Field in Exclude<keyof CustomerFields, 'shippingAddress' | 'billingAddress'>]?:
    | CustomerFields[Field]
    | null
    | undefined
} & {
  readonly shippingAddress?: AddressChange | null | undefined
  readonly billingAddress?: AddressChange | null | undefined
  readonly password?: string | null | undefined
}

const NO_ADDRESS: CustomerAddress = {
  name: null,
  surname: null,
  taxid: null,
  address: null,
  city: null,
  postal: null,
  municipality: null,
  region: null,
  country: null,
}

export const NEW_CUSTOMER: CustomerFields = {
  email: '',
  phone: null,
  phonePrefix: null,
  status: 'APPROVED',
  acceptsMarketing: false,
  shippingAddress: null,
  billingAddress: null,
}

/** What addresses are compared by. */
export const emailKey = (email: string): string => email.toLowerCase()

/** The customer as it is after the change. Blank texts clear what can be empty: forms send them. */
export const changedCustomer = (before: CustomerFields, change: CustomerChange): CustomerFields => ({
  email: change.email === undefined ? before.email : (change.email ?? '').trim(),
  phone: changedText(before.phone, change.phone),
  phonePrefix: changedText(before.phonePrefix, change.phonePrefix),
  // The types have no null, but a caller can.
  status: change.status === undefined ? before.status : (change.status as CustomerStatus),
  // Null was refused before.
  acceptsMarketing: change.acceptsMarketing === undefined ? before.acceptsMarketing : (change.acceptsMarketing as boolean),
  shippingAddress: changedAddress(before.shippingAddress, change.shippingAddress),
  billingAddress: changedAddress(before.billingAddress, change.billingAddress),
})

function changedAddress(before: CustomerAddress | null, change: AddressChange | null | undefined): CustomerAddress | null {
  if (change === undefined || change === null) return change === null ? null : before
  const was = before ?? NO_ADDRESS
  // Keys of a whole address.
  const fields = Object.entries(was).map(([field, text]) => [field, changedText(text, change[field as keyof AddressChange])])
  return fields.every(([, text]) => text === null) ? null : Object.fromEntries(fields)
}

const changedText = (before: string | null, given: string | null | undefined): string | null =>
  given === undefined ? before : given === null || given.trim() === '' ? null : given

/** Invalid fields of a customer after a change, and of a new password, in their order. */
export function customerProblems(customer: CustomerFields, password: string | null | undefined): readonly Problem[] {
  const { email, phone, phonePrefix, status, acceptsMarketing, shippingAddress, billingAddress } = customer
  return problemsIn([
    emailProblem('email', email),
    phone === null ? null : textProblem('phone', phone, 50),
    phonePrefix === null || /^\+\d{1,4}$/.test(phonePrefix) ? null : problem('phonePrefix', '"+" and 1 to 4 digits', phonePrefix),
    password == null ? null : passwordProblem('password', password),
    status === null ? problem('status', 'APPROVED, PENDING or DISABLED', null) : null,
    acceptsMarketing === null ? problem('acceptsMarketing', 'true or false', null) : null,
    ...addressProblems('shippingAddress', shippingAddress),
    ...addressProblems('billingAddress', billingAddress),
  ])
}

const addressProblems = (field: string, address: CustomerAddress | null) =>
  Object.entries(address ?? {}).map(([name, text]) => (text === null ? null : textProblem(`${field}.${name}`, text, 200)))

/** Name of a customer: of the billing address, else the e-mail address. */
export function fullname({ email, billingAddress }: Pick<Customer, 'email' | 'billingAddress'>): string {
  const names = [billingAddress?.name, billingAddress?.surname].filter((name) => name != null)
  return names.length > 0 ? names.join(' ') : email
}

/**
 * What a customer is found by: names, e-mail address and phone number, that also without what
 * stands between its digits.
 */
export function searchKey({ email, phone, phonePrefix, shippingAddress, billingAddress }: CustomerFields): string {
  const names = [billingAddress, shippingAddress].map((address) => `${address?.name ?? ''} ${address?.surname ?? ''}`)
  const number = phone === null ? '' : `${phonePrefix ?? ''}${phone}`
  return textKey([email, ...new Set(names), phone ?? '', number.replaceAll(/[^+\d]/g, '')].join(' '))
}
