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
  <Given extends readonly unknown[]>() =>
  <Makers extends readonly ((...given: Given) => object)[]>(...makers: Makers): ((...given: Given) => MergedMembers<Makers>) => {
    let shape: object | null = null
    return (...given) => {
      shape ??= shapeOf(makers, given)
      return Object.assign(Object.create(shape), { given, made: [] } satisfies Lazy<Given>)
    }
  }

type Part = Readonly<Record<string, unknown>>
type Lazy<Given> = { readonly given: Given; readonly made: Part[] }

function shapeOf<Given extends readonly unknown[]>(makers: readonly ((...given: Given) => object)[], given: Given): object {
  const getters = makers.flatMap((make, index) =>
    Object.keys(make(...given)).map((name) => {
      function get(this: Lazy<Given>): unknown {
        this.made[index] ??= make(...this.given) as Part
        return this.made[index][name]
      }
      return [name, { get }] as const
    }),
  )
  return Object.defineProperties({}, Object.fromEntries(getters))
}
