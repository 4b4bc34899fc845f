import { entityTables } from './cases/entities.ts'
import type { Table } from './small-graph.ts'

/** Every table, by the subject that it is about. */
export const TABLES: readonly Table[] = [...entityTables]
