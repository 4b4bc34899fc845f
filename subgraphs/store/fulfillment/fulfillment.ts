import { emailProblem, type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { given, required, urlProblem } from '../input.ts'
import { type AddressInput, addressProblems } from '../order/customer/address.ts'
import type { OrderAddress } from '../order/order.ts'
import type { ShipmentStatus } from '../order/status/states.ts'

/** Who carries goods. */
export type FulfillmentType =
  | 'MANUAL'
  | 'SHIPIT'
  | 'CHILEXPRESS'
  | 'CTT'
  | 'DPD'
  | 'MRW'
  | 'CORREOS_CHILE'
  | 'DHL'
  | 'SERVIENTREGA'
  | 'STARKEN'
  | 'BLUEXPRESS'
  | 'CORREOS_EXPRESS'

/** Where goods are that were handed over. */
export type Whereabouts = Exclude<ShipmentStatus, 'UNFULFILLED'>

/**
 * A parcel: centimetres, and the store's unit of weight, as exact decimals; null where nobody said.
 */
export type Package = {
  readonly length: string | null
  readonly width: string | null
  readonly height: string | null
  readonly weight: string | null
}

/** What of a fulfillment is changed by whoever has to do with it. */
export type FulfillmentFields = {
  readonly type: FulfillmentType
  readonly serviceType: string | null
  readonly shipmentStatus: Whereabouts
  readonly trackingNumber: string | null
  readonly trackingCompany: string | null
  readonly trackingUrl: string | null
  readonly externalId: string | null
  readonly message: string | null
  readonly observations: string | null
  readonly expectedArrivalFrom: Date | null
  readonly expectedArrivalTo: Date | null
  readonly sendEmail: boolean
}

/** What of a fulfillment never changes. */
export type FulfillmentTerms = {
  readonly orderNumber: number | null
  readonly locationId: number
  readonly receiverEmail: string | null
  readonly phone: string | null
  readonly phonePrefix: string | null
  readonly address: OrderAddress | null
  readonly packages: readonly Package[]
}

/** A consignment. */
export type Fulfillment = FulfillmentTerms &
  FulfillmentFields & {
    readonly id: number
    /** Its drawn label: the row, key and name of the file; null until it is drawn. */
    readonly labelFileId: number | null
    readonly labelKey: string | null
    readonly labelName: string | null
    readonly createdAt: Date
    readonly updatedAt: Date
    readonly version: number
  }

/** Something that happened to a fulfillment. */
export type FulfillmentHistoryEntry = {
  readonly id: number
  readonly fulfillmentId: number
  readonly shipmentStatus: ShipmentStatus
  readonly message: string
  readonly createdAt: Date
}

type Text = string | null | undefined

/** Fields as a caller gives them: undefined stays as it is, null clears. */
export type FulfillmentChange = {
  readonly shipmentStatus?: ShipmentStatus | null | undefined
  readonly type?: FulfillmentType | null | undefined
  readonly sendEmail?: boolean | null | undefined
  readonly expectedArrivalFrom?: Date | null | undefined
  readonly expectedArrivalTo?: Date | null | undefined
} & { readonly [Field in (typeof TEXTS)[number] | 'trackingUrl']?: Text }

/** Packages as a caller gives them. */
export type PackageInput = { readonly [Field in keyof Package]?: Text }

/** A new fulfillment, as a caller gives it. */
export type NewFulfillmentInput = Omit<FulfillmentChange, 'type' | 'shipmentStatus'> & {
  readonly orderId?: Text
  readonly type: FulfillmentType
  readonly locationId: string
  readonly shippingAddress?: AddressInput | null | undefined
  readonly packages?: readonly PackageInput[] | null | undefined
  readonly receiverEmail?: Text
  readonly phone?: Text
  readonly phonePrefix?: Text
}

/** As many fulfillments as an order may have: they are read together. */
export const MAX_FULFILLMENTS = 100
export const MAX_PACKAGES = 50
const MAX_PHONE_LENGTH = 50

const TEXTS = ['serviceType', 'trackingNumber', 'trackingCompany', 'externalId', 'message', 'observations'] as const
const MAX_TEXT_LENGTH: Readonly<Record<(typeof TEXTS)[number], number>> = {
  serviceType: 200,
  trackingNumber: 200,
  trackingCompany: 200,
  externalId: 200,
  message: 2_000,
  observations: 2_000,
}

/** What is wrong with fields by themselves. */
export const changeProblems = (input: FulfillmentChange): readonly Problem[] => [
  ...required(input, ['type', 'shipmentStatus', 'sendEmail']),
  ...problemsIn([
    ...TEXTS.map((field) => {
      const text = textIn(input[field])
      return text === null ? null : textProblem(field, text, MAX_TEXT_LENGTH[field])
    }),
    input.trackingUrl?.trim() ? urlProblem('trackingUrl', input.trackingUrl) : null,
  ]),
]

/** Problems of a new fulfillment by itself. */
export function newFulfillmentProblems(input: NewFulfillmentInput): readonly Problem[] {
  const [receiverEmail, phone, phonePrefix] = [input.receiverEmail, input.phone, input.phonePrefix].map(textIn)
  return [
    ...changeProblems(input.sendEmail === null ? { ...input, sendEmail: undefined } : input),
    ...problemsIn([
      receiverEmail == null ? null : emailProblem('receiverEmail', receiverEmail),
      phone == null ? null : textProblem('phone', phone, MAX_PHONE_LENGTH),
      phonePrefix == null || /^\+\d{1,4}$/.test(phonePrefix)
        ? null
        : problem('phonePrefix', '"+" and 1 to 4 digits', phonePrefix),
    ]),
    ...destinationProblems(input),
  ]
}

/** What is wrong with where something goes and what it consists of. */
export const destinationProblems = ({
  shippingAddress,
  packages,
}: Pick<NewFulfillmentInput, 'shippingAddress' | 'packages'>): readonly Problem[] => [
  ...(shippingAddress ? addressProblems('shippingAddress', shippingAddress) : []),
  ...(packages && (packages.length < 1 || packages.length > MAX_PACKAGES)
    ? [problem('packages', `1 to ${MAX_PACKAGES} packages`, packages.length)]
    : []),
  ...(packages ?? []).flatMap((each, index) =>
    Object.entries(each).flatMap(([field, measure]) =>
      measure?.startsWith('-') ? [problem(`packages.${index}.${field}`, '0 or more', measure)] : [],
    ),
  ),
]

/** Problems of the days of arrival, once both are known. */
export const arrivalProblem = ({
  expectedArrivalFrom: from,
  expectedArrivalTo: to,
}: Pick<FulfillmentFields, 'expectedArrivalFrom' | 'expectedArrivalTo'>): Problem | null =>
  from === null || to === null || from.getTime() <= to.getTime()
    ? null
    : problem('expectedArrivalTo', `${from.toISOString()} or later`, to.toISOString())

/** What a fulfillment says after a change, except for where its goods are. */
export function changedFields(before: Omit<FulfillmentFields, 'shipmentStatus'>, input: FulfillmentChange) {
  const texts = Object.fromEntries(
    TEXTS.map((field) => [field, input[field] === undefined ? before[field] : textIn(input[field])]),
    // One entry for each of TEXTS.
  ) as Pick<FulfillmentFields, (typeof TEXTS)[number]>
  const type = input.type ?? before.type
  const isSameCarrier = type === before.type && texts.trackingCompany === before.trackingCompany
  // Carriers have pages of their own. What an order was told it keeps, until somebody else carries
  // it.
  const isCounted = type === 'MANUAL' && texts.trackingCompany?.toLowerCase() === 'other'
  const trackingUrl = input.trackingUrl === undefined || !isCounted ? undefined : textIn(input.trackingUrl)
  return {
    ...texts,
    type,
    trackingUrl: given(trackingUrl, isCounted || isSameCarrier ? before.trackingUrl : null),
    expectedArrivalFrom: given(input.expectedArrivalFrom, before.expectedArrivalFrom),
    expectedArrivalTo: given(input.expectedArrivalTo, before.expectedArrivalTo),
    sendEmail: input.sendEmail ?? before.sendEmail,
  }
}

/** A package with all its measures. */
export const packageIn = ({ length, width, height, weight }: PackageInput): Package => ({
  length: length ?? null,
  width: width ?? null,
  height: height ?? null,
  weight: weight ?? null,
})

/** Blank texts count as absent: forms send them. */
export const textIn = (text: Text): string | null => (text?.trim() ? text.trim() : null)

/**
 * Whether there is something to be stuck on: what the store carries itself needs nothing, and what
 * goes nowhere has nothing to say.
 */
export const isLabelled = ({ type, address }: Pick<Fulfillment, 'type' | 'address'>): boolean =>
  type !== 'MANUAL' && address !== null

/** Whether a label that was drawn before says something else now. */
export const isLabelStale = (before: FulfillmentFields, after: FulfillmentFields): boolean =>
  (['type', 'serviceType', 'trackingNumber', 'trackingCompany', 'message', 'observations'] as const).some(
    (field) => before[field] !== after[field],
  )
