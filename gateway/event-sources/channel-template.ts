/** Arguments of a subscription's field, by name. */
export type FieldArguments = Readonly<Record<string, unknown>>

/** `{{ args.name }}`, with a path into an input object where there are further points. */
const PLACEHOLDER = /\{\{\s*args\.([\w.]+)\s*\}\}/g

/**
 * What an argument in the name of a channel may be: no separators and no wildcards, or a client
 * could choose the channels of others.
 */
const SAFE_PART = /^[\w~@=+-]{1,200}$/

/** The names of a channel; what is expected, where an argument cannot stand in one. */
export function channelOf(template: string, values: FieldArguments): { readonly channel: string } | { readonly problem: string } {
  let problem: string | null = null
  const channel = template.replace(PLACEHOLDER, (_, path: string) => {
    const value = argumentAt(values, path)
    const text = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
    if (!SAFE_PART.test(text)) {
      problem ??= `Expected argument "${path}" to have 1 to 200 letters, digits and characters of "_~@=+-".`
    }
    return text
  })
  return problem === null ? { channel } : { problem }
}

/** The values that a text stands for: an argument, which may be a list, or the text itself. */
export function valuesOf(template: string, values: FieldArguments): readonly unknown[] {
  const [whole] = [...template.matchAll(PLACEHOLDER)]
  if (!whole || whole[0] !== template.trim()) return [template]
  const value = argumentAt(values, whole[1] ?? '')
  return Array.isArray(value) ? value : [value]
}

/** The names of the arguments in a template. */
export const argumentsIn = (template: string): readonly string[] =>
  [...template.matchAll(PLACEHOLDER)].map(([, path = '']) => path.split('.', 1)[0] ?? '')

const argumentAt = (values: FieldArguments, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
      values,
    )
