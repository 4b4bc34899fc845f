export type CoercedVariables = Readonly<Record<string, unknown>>
/** Points or a length, as a function of coerced variables. */
export type Count = (variables: CoercedVariables) => number

/**
 * Summands of a cost: constants are added up, so that only variable-dependent ones need a function.
 */
export type Terms = { constant: number; readonly counts: Count[] }

export const noTerms = (): Terms => ({ constant: 0, counts: [] })
export const hasTerms = ({ constant, counts }: Terms): boolean => constant !== 0 || counts.length > 0

/**
 * Sums of a selection: points of all objects, of objects of one type, and points that count once.
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
 * Sums of a fragment that count only when `isOn` is true. Evaluated once per fragment, also when
 * nested.
 */
export function conditional(isOn: (variables: CoercedVariables) => boolean, sums: Sums): Sums {
  const within = (outer: Terms): Terms => {
    const own = noTerms()
    outer.counts.push((variables) => (isOn(variables) ? total(own, variables) : 0))
    return own
  }
  return { ...sums, common: within(sums.common), of: perTypeIn(new Map(), (type) => within(sums.of(type))) }
}
