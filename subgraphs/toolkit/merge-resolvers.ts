/**
 * Merges the resolvers of all nouns. Several add fields to one type: a user has a name, and posts.
 */
export function mergeResolvers<Resolvers extends object>(nouns: readonly Resolvers[]): Resolvers {
  const types = new Map<string, object>()
  for (const [type, fields] of nouns.flatMap((noun) => Object.entries(noun))) {
    types.set(type, { ...types.get(type), ...fields })
  }
  // A cast: the same types, each with the fields of every noun.
  return Object.fromEntries(types) as Resolvers
}
