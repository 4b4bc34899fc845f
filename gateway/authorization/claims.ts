/** The claims of a verified token. */
export type Claims = Readonly<Record<string, unknown>>

/** A claim by name; without a claim of exactly that name, dots are a path into objects. */
export function claimIn(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name
    .split('.')
    .reduce<unknown>((inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), claims)
}

/** The strings of a claim: space-separated or a list; empty for any other form. */
export function textsIn(claims: Claims, name: string): readonly string[] {
  const value = claimIn(claims, name)
  if (typeof value === 'string') return value.split(' ').filter((text) => text !== '')
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : []
}

const isObject = (value: unknown): value is Claims => typeof value === 'object' && value !== null
