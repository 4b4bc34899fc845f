import { notFoundError, type Problem, problem, problemsIn, textProblem, validationError } from '../../../toolkit/validation.ts'
import { decodeId } from '../../ids.ts'
import { MAX_ADDITIONAL_FIELDS, type OrderAdditionalField } from '../order.ts'

/** A field as a caller gives it: with an id, one that the order has. */
export type AdditionalFieldInput = {
  readonly id?: string | null | undefined
  readonly label?: string | null | undefined
  readonly value?: string | null | undefined
  readonly area?: string | null | undefined
}

/** A field as it is to be written; without an id, a new one. */
export type WrittenField = Pick<OrderAdditionalField, 'label' | 'value' | 'area'> & { readonly id: number | null }

const AREAS: readonly string[] = ['contact', 'billing_shipping', 'other']

/** Fields of an order after the inputs, given its fields `before`; or their problems. */
export function writtenFields(before: readonly OrderAdditionalField[], inputs: readonly AdditionalFieldInput[]) {
  const problems = inputs.flatMap((input, index) => fieldProblems(input, `additionalFields.${index}`))
  if (inputs.length > MAX_ADDITIONAL_FIELDS) {
    problems.push(problem('additionalFields', `at most ${MAX_ADDITIONAL_FIELDS} fields`, inputs.length))
  }
  if (problems.length > 0) return { failure: validationError(problems) }
  const written: WrittenField[] = []
  for (const input of inputs) {
    const known = before.find(({ id, label, area }) =>
      input.id != null
        ? id === decodeId(input.id, 'OrderAdditionalField')
        : label === input.label && area === (input.area ?? null),
    )
    if (input.id != null && !known) return { failure: notFoundError('field', input.id) }
    const field = {
      id: known?.id ?? null,
      label: input.label ?? known?.label ?? '',
      value: input.value === undefined ? (known?.value ?? null) : input.value,
      area: input.area === undefined ? (known?.area ?? null) : input.area,
    }
    // The last input of a field counts.
    const earlier = written.findIndex(({ id, label, area }) =>
      field.id === null ? label === field.label && area === field.area : id === field.id,
    )
    if (earlier === -1) written.push(field)
    else written[earlier] = field
  }
  const added = written.filter(({ id }) => id === null).length
  if (before.length + added > MAX_ADDITIONAL_FIELDS) {
    const expectation = `at most ${MAX_ADDITIONAL_FIELDS - before.length} new fields`
    return { failure: validationError([problem('additionalFields', expectation, added)]) }
  }
  return { written }
}

const fieldProblems = ({ id, label, value, area }: AdditionalFieldInput, at: string): readonly Problem[] =>
  problemsIn([
    label == null
      ? id == null
        ? problem(`${at}.label`, '1 to 200 characters', label)
        : null
      : textProblem(`${at}.label`, label, 200),
    value == null || value === '' ? null : textProblem(`${at}.value`, value, 2_000),
    area == null || AREAS.includes(area) ? null : problem(`${at}.area`, AREAS.join(', '), area),
  ])
