import { capitalOf } from '../country/country.ts'
import { createLocation } from '../location/actions.ts'
import { createPage } from '../page/actions.ts'
import { createPageCategory } from '../page-category/actions.ts'
import { createPaymentMethod } from '../payment-method/actions.ts'
import { createPromotion } from '../promotion/actions.ts'
import { createShippingMethod } from '../shipping-method/actions.ts'
import { updateStore } from '../store/actions.ts'
import { createTax } from '../tax/actions.ts'
import { done, type FilledStore } from './filled.ts'
import { priceIn, taxIn } from './market.ts'
import type { readSample } from './sample.ts'

/** Ids of what goods are kept at, sent with and paid by. */
export type Settings = {
  readonly locations: readonly [workshop: string, shop: string]
  readonly post: string
  readonly courier: string
  readonly payments: ReadonlyMap<string, string>
}

/** Since when the shop is as it is. Days. */
const OPENED_DAYS_AGO = 120

/**
 * Writes how the shop works: where it is, how it sends, what is paid and charged, and what its
 * pages say.
 */
export async function fillSettings(
  { ago, currency, country }: FilledStore,
  { pages }: Pick<ReturnType<typeof readSample>, 'pages'>,
): Promise<Settings> {
  const unit = ago(OPENED_DAYS_AGO)
  const city = capitalOf(country)
  const price = (euros: number) => priceIn(currency, euros)
  const place = { city, country }
  done(
    await updateStore(unit, {
      email: 'hello@marigold.example.com',
      address: { address: '7 Market Square', city, countryCode: country },
    }),
  )
  const locationOf = async (input: Parameters<typeof createLocation>[1]) =>
    String(done(await createLocation(unit, { ...place, ...input })).location)
  const workshop = await locationOf({ name: 'Workshop', address: 'Old Mill', streetNumber: '2', main: true })
  const shop = await locationOf({ name: 'Shop', address: 'Market Square', streetNumber: '7', pickupPoint: true })

  const methodOf = async (
    name: string,
    within: readonly [amount: number, price: number][],
    abroad: readonly [number, number][],
    freeFrom?: number,
  ) => {
    const values = (steps: readonly (readonly [number, number])[]) =>
      steps.map(([amount, euros]) => ({ amount: String(amount), price: price(euros) }))
    const input = {
      type: 'TABLES' as const,
      name,
      ...(freeFrom !== undefined && { freeShipping: true, freeShippingFrom: price(freeFrom) }),
      tables: [
        { basedOn: 'WEIGHT' as const, values: values(within), locations: [{ country }] },
        { basedOn: 'WEIGHT' as const, values: values(abroad), locations: [] },
      ],
    }
    return String(done(await createShippingMethod(unit, input)).shippingMethod)
  }
  const post = await methodOf(
    'Post',
    [
      [0, 4.5],
      [2, 7.5],
      [10, 12],
    ],
    [
      [0, 11],
      [2, 19],
      [10, 34],
    ],
    150,
  )
  const courier = await methodOf(
    'Courier',
    [
      [0, 9],
      [10, 15],
    ],
    [
      [0, 24],
      [10, 48],
    ],
  )

  const payments = new Map<string, string>()
  for (const [name, description] of PAYMENTS) {
    const input = { name, description, paymentMethodUrl: `https://pay.example.com/${name.toLowerCase().replace(' ', '-')}` }
    payments.set(name, String(done(await createPaymentMethod(unit, input)).paymentMethod))
  }
  done(await createTax(unit, { name: 'VAT', country, rate: taxIn(country) }))
  done(await createTax(unit, { name: 'VAT on postage', country, rate: taxIn(country), shipping: true }))
  done(
    await createPromotion(unit, {
      name: 'Ten percent off the first order',
      type: 'PERCENTAGE',
      discountAmountPercent: '10',
      coupons: [{ code: 'WELCOME10', usageLimit: 100 }],
    }),
  )
  const inCategory = Map.groupBy(pages, (page) => page.in)
  for (const [name, own] of inCategory) {
    const pageIds: string[] = []
    for (const { title, body, legal } of own) pageIds.push(String(done(await createPage(unit, { title, body, legal })).page))
    done(await createPageCategory(unit, { name, pageIds }))
  }
  return { locations: [workshop, shop], post, courier, payments }
}

const PAYMENTS = [
  ['Card', 'Debit and credit cards, at once.'],
  ['Bank transfer', 'We pack as soon as it has arrived, which takes one to three days.'],
] as const
