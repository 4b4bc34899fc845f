/** The keys of an object whose type names all of its keys, in their order, by that type. */
export const keysOf = <Key extends string>(object: Readonly<Record<Key, unknown>>): readonly Key[] =>
  // `Object.keys` answers `string[]`, because other objects may have more keys than their type.
  Object.keys(object) as Key[]
