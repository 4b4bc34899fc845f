export type CoercedVariables = Readonly<Record<string, unknown>>
/** Points or a length, with these coerced variables. */
export type Count = (variables: CoercedVariables) => number

/** Points to add up: most do not depend on variables, and need no function each. */
export type Terms = { constant: number; readonly counts: Count[] }

export const noTerms = (): Terms => ({ constant: 0, counts: [] })
export const hasTerms = ({ constant, counts }: Terms): boolean => constant !== 0 || counts.length > 0

/**
 * Where points are added up: those that all objects have, those of the objects of a type, and those
 * that count once, however many objects there are.
 */
export type Sums = { readonly common: Terms; readonly of: (type: string) => Terms; readonly once: Terms }

export const perTypeIn =
  (known: Map<string, Terms>, make: (type: string) => Terms): Sums['of'] =>
  (type) => {
    const terms = known.get(type) ?? make(type)
    known.set(type, terms)
    return terms
  }

export const pointsOf = (count: Count | number, variables: CoercedVariables): number =>
  typeof count === 'number' ? count : count(variables)

export function total({ constant, counts }: Terms, variables: CoercedVariables): number {
  let points = constant
  for (const count of counts) points += count(variables)
  return points
}

/**
 * Sums of a fragment that count in `sums` only where `isOn` holds. Evaluated once per fragment,
 * however deeply such fragments nest.
 */
export function conditional(isOn: (variables: CoercedVariables) => boolean, sums: Sums): Sums {
  const within = (outer: Terms): Terms => {
    const own = noTerms()
    outer.counts.push((variables) => (isOn(variables) ? total(own, variables) : 0))
    return own
  }
  return { ...sums, common: within(sums.common), of: perTypeIn(new Map(), (type) => within(sums.of(type))) }
}
