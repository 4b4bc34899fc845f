/** Something that can be chosen as the value of a custom field. */
export type CustomFieldSelectOption = {
  readonly id: number
  readonly customFieldId: number
  readonly value: string
}
