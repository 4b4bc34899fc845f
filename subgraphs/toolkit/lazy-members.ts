/** The members of all these functions in one object. */
type MergedMembers<Makers extends readonly ((...given: never) => object)[]> = Intersection<ReturnType<Makers[number]>>
type Intersection<Union> = (Union extends unknown ? (part: Union) => void : never) extends (whole: infer Whole) => void
  ? Whole
  : never

/**
 * One object with the members of all `makers`, each called on first access to a member. They return
 * the same distinct names on every call and have no side effects: the first object calls all of
 * them to learn the names.
 */
export const lazyMembers =
  <Arguments extends readonly unknown[]>() =>
  <Makers extends readonly ((...given: Arguments) => object)[]>(
    ...makers: Makers
  ): ((...given: Arguments) => MergedMembers<Makers>) => {
    let shape: object | null = null
    return (...given) => {
      shape ??= shapeOf(makers, given)
      return Object.assign(Object.create(shape), { given, made: [] } satisfies Lazy<Arguments>)
    }
  }

type Part = Readonly<Record<string, unknown>>
type Lazy<Arguments> = { readonly given: Arguments; readonly made: Part[] }

function shapeOf<Arguments extends readonly unknown[]>(
  makers: readonly ((...given: Arguments) => object)[],
  given: Arguments,
): object {
  const getters = makers.flatMap((make, index) =>
    Object.keys(make(...given)).map((name) => {
      function get(this: Lazy<Arguments>): unknown {
        // `make` answers the part of this index.
        this.made[index] ??= make(...this.given) as Part
        return this.made[index][name]
      }
      return [name, { get }] as const
    }),
  )
  return Object.defineProperties({}, Object.fromEntries(getters))
}
