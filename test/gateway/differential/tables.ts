import { abstractTables } from './cases/abstract.ts'
import { conditionTables } from './cases/conditions.ts'
import { contextTables } from './cases/contexts.ts'
import { entityTables } from './cases/entities.ts'
import { fetchingTables } from './cases/fetching.ts'
import { listTables } from './cases/lists.ts'
import { operationTables } from './cases/operations.ts'
import { partedTables } from './cases/parted.ts'
import { sharedTables } from './cases/shared.ts'
import { valueTables } from './cases/values.ts'
import type { Table } from './small-graph.ts'

/** Every table, by the subject that it is about. */
export const TABLES: readonly Table[] = [
  ...entityTables,
  ...abstractTables,
  ...partedTables,
  ...sharedTables,
  ...fetchingTables,
  ...conditionTables,
  ...valueTables,
  ...listTables,
  ...operationTables,
  ...contextTables,
]
