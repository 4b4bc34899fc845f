/** What a customer has answered to a question of the checkout. */
export type CustomerAdditionalField = {
  readonly id: number
  readonly customerId: number
  readonly checkoutCustomFieldId: number
  readonly value: string
}
