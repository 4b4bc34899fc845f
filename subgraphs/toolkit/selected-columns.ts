import { type FieldNode, type FragmentDefinitionNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'

/** Columns to read, by field name. Equal sets are the same object. */
export type Columns<Row> = readonly (keyof Row & string)[]

/** Selects the columns of a noun's rows that an operation needs. */
export type SelectedColumns<Row> = {
  /** Only the columns that are always read. */
  readonly minimal: Columns<Row>
  /**
   * Columns for the objects of a resolver, or the nodes of its connection. May include columns that
   * `@skip` or `@include` leaves out.
   */
  of(info: GraphQLResolveInfo): Columns<Row>
}

/**
 * Most column sets per noun besides whole rows: each is a prepared statement on every connection.
 * The first ones since the start are kept; others read whole rows.
 */
const MAX_COLUMN_SETS = 40

/** Fields around the nodes of a connection, and beside them. */
const CONNECTION_WRAPPERS: ReadonlySet<string> = new Set(['nodes', 'edges', 'node'])
const CONNECTION_FIELDS = ['pageInfo', 'totalCount', 'cursor']

/**
 * Creates the selection for a noun: an unused value costs as much to fetch as any other, a
 * timestamp three times that. `always` are the keys that identify and relate rows, `besides` the
 * fields that need no column of their own. Any other field reads whole rows, so that none is
 * missed.
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
  const isDerived: ReadonlySet<string> = new Set(['__typename', ...CONNECTION_FIELDS, ...besides])
  const sets = new Map<string, Columns<Row>>()
  const byNodes = new WeakMap<readonly FieldNode[], Columns<Row>>()

  return {
    minimal: columnsOf(new Set()),
    of({ fieldNodes, fragments }) {
      let columns = byNodes.get(fieldNodes)
      if (columns === undefined) {
        columns = columnsOf(namesIn(fieldNodes, fragments))
        byNodes.set(fieldNodes, columns)
      }
      return columns
    },
  }

  function columnsOf(names: ReadonlySet<string>): Columns<Row> {
    for (const name of names) if (!isColumn.has(name) && !isDerived.has(name)) return all
    const columns = all.filter((column) => names.has(column) || always.includes(column))
    const key = columns.join()
    const existing = sets.get(key)
    if (existing) return existing
    if (columns.length === all.length || sets.size > MAX_COLUMN_SETS) return all
    sets.set(key, columns)
    return columns
  }
}

/** Names of the selected fields, whatever the type of the objects. */
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
