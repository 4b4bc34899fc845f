/** Arguments of a subscription field, by name. */
export type FieldArguments = Readonly<Record<string, unknown>>

/** Placeholder `{{ args.name }}`; further dots are a path into an input object. */
const PLACEHOLDER = /\{\{\s*args\.([\w.]+)\s*\}\}/g

/**
 * Allowed characters of an argument in a channel name. Separators and wildcards would let a client
 * subscribe to other channels.
 */
const SAFE_PART = /^[\w~@=+-]{1,200}$/

/**
 * Inserts arguments into a channel template; returns the problem when an argument is not allowed.
 */
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

/** Values of a template: of an argument, which may be a list, or the text itself. */
export function valuesOf(template: string, values: FieldArguments): readonly unknown[] {
  const [whole] = [...template.matchAll(PLACEHOLDER)]
  if (!whole || whole[0] !== template.trim()) return [template]
  const value = argumentAt(values, whole[1] ?? '')
  return Array.isArray(value) ? value : [value]
}

/** Names of the arguments in a template. */
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
