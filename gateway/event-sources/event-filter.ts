import { type FieldArguments, valuesOf } from './channel-template.ts'

/** Whether an event matches a subscription with these arguments. */
export type EventFilter = (event: unknown, values: FieldArguments) => boolean

/** Compiles the condition of `@openfed__subscriptionFilter`. Throws for an invalid condition. */
export function compileFilter(condition: unknown): EventFilter {
  if (typeof condition !== 'object' || condition === null) throw unexpected()
  const parts = Object.entries(condition).map(([operator, operand]) => compileOperator(operator, operand))
  if (parts.length === 0) throw unexpected()
  return (event, values) => parts.every((part) => part(event, values))
}

function compileOperator(operator: string, operand: unknown): EventFilter {
  if (operator === 'NOT') {
    const inner = compileFilter(operand)
    return (event, values) => !inner(event, values)
  }
  if ((operator === 'AND' || operator === 'OR') && Array.isArray(operand)) {
    const inner = operand.map(compileFilter)
    return operator === 'AND'
      ? (event, values) => inner.every((each) => each(event, values))
      : (event, values) => inner.some((each) => each(event, values))
  }
  if (operator !== 'IN' || typeof operand !== 'object' || operand === null) throw unexpected()
  // An object; both properties are checked below.
  const { fieldPath, values: wanted } = operand as { readonly fieldPath?: unknown; readonly values?: unknown }
  if (typeof fieldPath !== 'string' || !Array.isArray(wanted)) throw unexpected()
  const path = fieldPath.split('.')
  return (event, values) => {
    const actual = path.reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
      event,
    )
    const expected = wanted.flatMap((each) => (typeof each === 'string' ? valuesOf(each, values) : [each]))
    return expected.some((each) => isEqual(each, actual))
  }
}

/** Compares as text, because ids may be numbers in events and strings in arguments. */
const isEqual = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one !== 'object' && typeof other !== 'object' && one !== undefined && String(one) === String(other))

const unexpected = (): Error => new Error('Expected a condition of IN, AND, OR and NOT.')
