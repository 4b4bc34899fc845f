/** A signed-in shopper, as prices and promotions know them. */
export type Shopper = {
  /** Row of the account. */
  readonly accountId: number
  /** Categories of the customer with the confirmed address of the account; empty: none. */
  readonly categories: ReadonlySet<number>
}
