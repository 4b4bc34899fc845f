import { type FieldNode, type FragmentDefinitionNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'

/** The columns of a row that are read, by the names of its fields. The same columns are the same object. */
export type Columns<Row> = readonly (keyof Row & string)[]

/** Says which columns of a noun's rows an operation asks for. */
export type SelectedColumns<Row> = {
  /** Nothing but what is always read. */
  readonly minimal: Columns<Row>
  /** What the objects that a resolver answers are asked for, or, in a connection, its nodes. Columns that `@skip` or `@include` leaves out may be among them. */
  of(info: GraphQLResolveInfo): Columns<Row>
}

/**
 * How many sets of columns there are of one noun besides whole rows: each is a statement of its own, which every connection keeps prepared. They are those that were
 * asked for first since the process began; whoever asks for another one is given whole rows.
 */
const MAX_COLUMN_SETS = 40

/** What connections have around their objects, and beside them. */
const CONNECTION_WRAPPERS: ReadonlySet<string> = new Set(['nodes', 'edges', 'node'])
const CONNECTION_FIELDS = ['pageInfo', 'totalCount', 'cursor']

/**
 * Says which columns lists are read with: a value that nobody asked for costs as much as any other on its way here, and a point in time three times as much.
 *
 * `always` are the keys by which rows are told apart and related rows are found. `besides` are the fields that need nothing else. A field that is neither
 * among these nor named as a column is given a whole row, so that none is forgotten.
 */
export function selectedColumns<Row>({
  all,
  always,
  besides,
}: {
  readonly all: Columns<Row>
  readonly always: Columns<Row>
  readonly besides: readonly string[]
}): SelectedColumns<Row> {
  const isColumn: ReadonlySet<string> = new Set(all)
  const isBesides: ReadonlySet<string> = new Set(['__typename', ...CONNECTION_FIELDS, ...besides])
  const sets = new Map<string, Columns<Row>>()
  const known = new WeakMap<readonly FieldNode[], Columns<Row>>()

  return {
    minimal: columnsOf(new Set()),
    of({ fieldNodes, fragments }) {
      let columns = known.get(fieldNodes)
      if (columns === undefined) {
        columns = columnsOf(namesIn(fieldNodes, fragments))
        known.set(fieldNodes, columns)
      }
      return columns
    },
  }

  function columnsOf(names: ReadonlySet<string>): Columns<Row> {
    for (const name of names) if (!isColumn.has(name) && !isBesides.has(name)) return all
    const columns = all.filter((column) => names.has(column) || always.includes(column))
    const key = columns.join()
    const same = sets.get(key)
    if (same) return same
    if (columns.length === all.length || sets.size > MAX_COLUMN_SETS) return all
    sets.set(key, columns)
    return columns
  }
}

/** The names of the fields that are selected of objects, whatever their type. */
function namesIn(nodes: readonly FieldNode[], fragments: Readonly<Record<string, FragmentDefinitionNode>>): ReadonlySet<string> {
  const names = new Set<string>()
  const spread = new Set<string>()
  const collect = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) {
        if (CONNECTION_WRAPPERS.has(selection.name.value)) collect(selection.selectionSet)
        else names.add(selection.name.value)
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet)
      } else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value)
        collect(fragments[selection.name.value]?.selectionSet)
      }
    }
  }
  for (const { selectionSet } of nodes) collect(selectionSet)
  return names
}
