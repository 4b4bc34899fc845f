import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { Room } from './room.ts'

const COLUMNS = ['id', 'name', 'owner_id as ownerId', 'created_at as createdAt'] as const

/** Rooms in the database. */
export const roomRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (ids: readonly string[]): Promise<Room[]> =>
    database.selectFrom('room').select(COLUMNS).where('id', 'in', ids).execute(),
})

export type RoomRepository = ReturnType<typeof roomRepository>
