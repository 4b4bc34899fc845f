import { type Html, html } from '../frame/html.ts'
import { inline } from '../frame/prose.ts'
import { type Contract, followed, type ReferenceSchema } from './contract.ts'
import { exampleNumber, exampleText, exampleValue, isShown, type Place } from './example-values.ts'

/** A type in a few words: `string (date-time)`, `array of string`, `one of a, b`. */
export function describeType(schema: ReferenceSchema, contract: Contract): string {
  const found = followed(schema, contract)
  if (found.const !== undefined) return JSON.stringify(found.const)
  if (found.enum) return `one of ${found.enum.map((value) => String(value)).join(', ')}`
  const choices = found.anyOf ?? found.oneOf
  if (choices) return choices.map((choice) => describeType(choice, contract)).join(' or ')
  if (found.items) return `array of ${describeType(found.items, contract)}`
  const type = [found.type ?? 'object'].flat().join(' or ')
  return found.format ? `${type} (${found.format})` : type
}

/** The bounds of a value in words; empty without any. */
export function bounds({ minimum, maximum, minLength, maxLength, default: usual }: ReferenceSchema): string {
  return [
    minimum !== undefined && maximum !== undefined
      ? `${minimum} to ${maximum}`
      : minimum !== undefined
        ? `at least ${minimum}`
        : maximum !== undefined && `at most ${maximum}`,
    maxLength !== undefined
      ? `${minLength ?? 0} to ${maxLength} characters`
      : minLength !== undefined && `at least ${minLength} characters`,
    usual !== undefined && `default ${JSON.stringify(usual)}`,
  ]
    .filter((each) => each !== false)
    .join('; ')
}

/** Deepest nesting that is shown: what is deeper can be opened in the document itself. */
const MAX_DEPTH = 6

/**
 * The properties of an object, or of the objects in an array, each with its own below it. Null
 * where there are none.
 */
export function properties(
  schema: ReferenceSchema,
  contract: Contract,
  depth = 0,
  seen: readonly ReferenceSchema[] = [],
): Html | null {
  const found = followed(schema, contract)
  if (depth > MAX_DEPTH || seen.includes(found)) return null
  const path = [...seen, found]
  const inside = found.items ?? found.allOf ?? found.anyOf ?? found.oneOf
  if (!found.properties && inside) {
    const parts = [inside].flat().map((part) => properties(part, contract, depth, path))
    return parts.every((part) => part === null) ? null : html`${parts}`
  }
  if (!found.properties) return null
  return html`<dl class="inputs">${Object.entries(found.properties).map(([name, own]) => {
    const value = { ...followed(own, contract), ...('description' in own && { description: own.description }) }
    const limits = bounds(value)
    return html`<dt><code>${name}</code> <span class="quiet">${describeType(own, contract)}${found.required?.includes(name) && ', required'}${limits !== '' && `; ${limits}`}</span></dt>
<dd>${value.description && inline(value.description)}${properties(own, contract, depth + 1, path)}</dd>`
  })}</dl>`
}

const NOWHERE: Place = { name: '', parent: '' }

/** A value that the schema allows: its examples, defaults and first choices. */
export function example(
  schema: ReferenceSchema,
  contract: Contract,
  place: Place = NOWHERE,
  seen: readonly ReferenceSchema[] = [],
): unknown {
  const found = followed(schema, contract)
  if (seen.includes(found)) return null
  const path = [...seen, found]
  if (found.example !== undefined) return found.example
  if (found.examples?.[0] !== undefined) return found.examples[0]
  if (found.const !== undefined) return found.const
  if (found.default !== undefined) return found.default
  if (found.enum) return found.enum[0]
  const choice = found.anyOf?.[0] ?? found.oneOf?.[0]
  if (choice) return example(choice, contract, place, path)
  if (found.items) return [example(found.items, contract, place, path)]
  if (found.properties) {
    return Object.fromEntries(
      Object.entries(found.properties)
        .map(([name, own]) => ({ own, inner: { name, parent: place.name } }))
        .filter(({ inner }) => isShown(inner))
        .map(({ own, inner }) => [inner.name, example(own, contract, inner, path)]),
    )
  }
  switch ([found.type].flat()[0]) {
    case 'integer':
    case 'number':
      return found.minimum ?? exampleNumber(place)
    case 'boolean':
      return true
    case 'string':
      return found.format === 'date-time' ? '2026-11-20T09:30:00.000Z' : exampleText(place)
    default:
      return exampleValue(place)
  }
}
