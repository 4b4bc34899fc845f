import { capitalOf } from '../country/country.ts'
import { createLocation } from '../location/actions.ts'
import { createPage } from '../page/actions.ts'
import { createPageCategory } from '../page-category/actions.ts'
import { createPaymentMethod } from '../payment-method/actions.ts'
import { createPromotion } from '../promotion/actions.ts'
import { createShippingMethod } from '../shipping-method/actions.ts'
import { updateStore } from '../store/actions.ts'
import { createTax } from '../tax/actions.ts'
import { applyTheme, uploadTheme } from '../theme/actions.ts'
import type { UploadedSetting } from '../theme/upload.ts'
import type { UnitOfWork } from '../write.ts'
import { done, type FilledStore } from './filled.ts'
import { priceIn, taxIn } from './market.ts'
import type { readSample } from './sample.ts'

/** Ids of locations, shipping methods and payment methods. */
export type Settings = {
  readonly locations: readonly [workshop: string, shop: string]
  readonly post: string
  readonly courier: string
  readonly payments: ReadonlyMap<string, string>
}

/** Since when the shop is as it is. Days. */
const OPENED_DAYS_AGO = 120

/** Writes the settings of the shop: addresses, shipping, payment, taxes and pages. */
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
  await publishTheme(unit)
  const inCategory = Map.groupBy(pages, (page) => page.in)
  for (const [name, own] of inCategory) {
    const pageIds: string[] = []
    for (const { title, body, legal } of own) pageIds.push(String(done(await createPage(unit, { title, body, legal })).page))
    done(await createPageCategory(unit, { name, pageIds }))
  }
  return { locations: [workshop, shop], post, courier, payments }
}

/** A theme that shows each setting that shop pages read. */
async function publishTheme(unit: UnitOfWork): Promise<void> {
  const { theme } = done(
    await uploadTheme(unit, {
      name: 'Market square',
      label: '1.0',
      settings: THEME_SETTINGS,
      files: [{ path: 'README.md', content: 'Settings of this theme are read by the pages of the shop.' }],
    }),
  )
  done(await applyTheme(unit, String(theme), {}))
}

const THEME_SETTINGS: readonly UploadedSetting[] = [
  { key: 'accent_color', label: 'Buttons and links', type: 'COLOR', default: '#9a3d1f' },
  { key: 'background_color', label: 'Background', type: 'COLOR', default: '#fbf8f2' },
  { key: 'serif_headings', label: 'Headings with serifs', type: 'BOOLEAN', default: true },
  {
    key: 'announcement',
    label: 'Line above every page',
    type: 'TEXT',
    default: 'Sent free of charge from €150. WELCOME10 takes ten percent off the first order.',
  },
  { key: 'hero_title', label: 'Heading of the front page', type: 'TEXT', default: 'Made by hand, meant for every day' },
  {
    key: 'hero_text',
    label: 'Sentence below it',
    type: 'TEXT',
    default: 'Stoneware, linen, oak and paper from our own workshop and from neighbours whose names we know.',
  },
  {
    key: 'footer_text',
    label: 'Sentence below every page',
    type: 'TEXT',
    default: 'Workshop at Old Mill 2, shop at Market Square 7.',
  },
]

const PAYMENTS = [
  ['Card', 'Debit and credit cards, at once.'],
  ['Bank transfer', 'We pack as soon as it has arrived, which takes one to three days.'],
] as const
