import type { Provenance } from '../item/item.ts'
import type { Contribution, Statement } from './contribution.ts'

/** Fields of the contributions to one item, with their provenance. */
export type Fields<S extends Statement> = {
  /**
   * The value of the first contribution that has one; null when none has. Records its provenance.
   */
  readonly first: <Value>(field: string, pick: (statement: S, origin: string) => Value | null) => Value | null
  /** The values of all, joined; records their provenance. */
  readonly all: <Value>(field: string, pick: (statement: S) => readonly Value[]) => readonly Value[]
  /** Notes a value that was derived here: `how` in one word. */
  readonly derived: (field: string, how: string) => void
  /** Records the provenance of a value from another contribution. */
  readonly noteSource: (field: string, by: Contribution) => void
  /** Sorted by field, then source, then path. */
  readonly provenance: () => readonly Provenance[]
}

/** A contribution whose statement is of one kind. */
export type ContributionOf<S extends Statement> = Contribution & { readonly statement: S }

/** Reads `group`, which is in order of precedence. */
export function fieldsOf<S extends Statement>(group: readonly ContributionOf<S>[]): Fields<S> {
  const noted = new Map<string, Provenance>()
  const note = (entry: Provenance): void => {
    noted.set(`${entry.field}\n${entry.source}\n${entry.path ?? ''}`, entry)
  }
  const said = (field: string, { origin, format, path }: Contribution): void =>
    note({ field, source: `${publicName(origin)} (${format})`, path })
  return {
    first: (field, pick) => {
      for (const contribution of group) {
        const value = pick(contribution.statement, contribution.origin)
        if (value === null) continue
        said(field, contribution)
        return value
      }
      return null
    },
    all: (field, pick) =>
      group.flatMap((contribution) => {
        const values = pick(contribution.statement)
        if (values.length > 0) said(field, contribution)
        return values
      }),
    derived: (field, how) => note({ field, source: `atrium (${how})`, path: null }),
    noteSource: said,
    provenance: () => [...noted].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry),
  }
}

/** Provenance is public: of a folder of this machine it names only the last part. */
const publicName = (origin: string): string => (origin.startsWith('file:') ? `folder ${origin.split('/').at(-1)}` : origin)
