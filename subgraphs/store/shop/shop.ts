/** What everybody may know of a store. */
export type Shop = {
  readonly id: number
  readonly code: string
  readonly name: string
  readonly currency: string
  readonly logo: string | null
}

/** What everybody may know of a product that is on sale. Decimals are exact text. */
export type ShopProduct = {
  readonly id: number
  readonly name: string
  /** What one piece costs, the discount taken off. */
  readonly price: string
  readonly permalink: string
  /** Key of the file of its first picture; null without one. */
  readonly imageKey: string | null
}
