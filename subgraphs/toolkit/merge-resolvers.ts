/** The resolvers of every noun in one object. Several add fields to the same type: a user has a name, and posts. */
export function mergeResolvers<Resolvers extends object>(nouns: readonly Resolvers[]): Resolvers {
  const types = new Map<string, object>()
  for (const [type, fields] of nouns.flatMap((noun) => Object.entries(noun))) {
    types.set(type, { ...types.get(type), ...fields })
  }
  // The same types, each with the fields of every noun.
  return Object.fromEntries(types) as Resolvers
}
