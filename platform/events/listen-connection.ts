import type pg from 'pg'

/** The connection that receives NOTIFY, and whose advisory lock shows that this process lives. */
export type ListenConnection = {
  /** Opens it; does nothing while it is open. Rejects when it cannot be opened. */
  readonly open: () => Promise<void>
  readonly close: () => void
}

export function createListenConnection({
  pool,
  channel,
  process,
  onNotification,
  onOpen,
  onLost,
}: {
  readonly pool: pg.Pool
  /** Put into SQL as it is. */
  readonly channel: string
  /** Id of this process, the key of its advisory lock. */
  readonly process: string
  readonly onNotification: (topic: string | null) => void
  /** Called before `open` resolves: notifications of the time before are lost. */
  readonly onOpen: () => Promise<void>
  readonly onLost: (error: Error) => void
}): ListenConnection {
  let open: pg.PoolClient | null = null

  return {
    async open() {
      if (open) return
      const client = await pool.connect()
      open = client
      client.on('notification', ({ payload }) => onNotification(payload ?? null))
      client.on('error', (error) => {
        if (open !== client) return
        drop(client)
        onLost(error)
      })
      try {
        await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [process])
        await client.query(`LISTEN ${channel}`)
        await onOpen()
      } catch (error) {
        if (open === client) drop(client)
        throw error
      }
    },
    close() {
      if (open) drop(open)
    },
  }

  function drop(client: pg.PoolClient): void {
    open = null
    client.release(true)
  }
}
