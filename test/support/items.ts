import pg from 'pg'
import type { Connection } from '../../platform/database/database.ts'
import type { DirectoryKind } from '../../subgraphs/directory/item/item.ts'

/** A row of table item; what a test does not care about is filled in. */
export type ItemRow = {
  readonly kind: DirectoryKind | 'GUIDE'
  readonly key: string
  readonly name?: string
  readonly description?: string
  readonly category?: string
  readonly tags?: readonly string[]
  readonly popularity?: number
  readonly license?: string
  readonly detail?: Readonly<Record<string, unknown>>
  readonly provenance?: readonly { field: string; source: string; path: string | null }[]
}

export const aServer = (key: string, row: Partial<ItemRow> = {}): ItemRow => ({ kind: 'MCP_SERVER', key, ...row })
export const aPlugin = (key: string, row: Partial<ItemRow> = {}): ItemRow => ({ kind: 'PLUGIN', key, ...row })
export const aSkill = (key: string, row: Partial<ItemRow> = {}): ItemRow => ({ kind: 'SKILL', key, ...row })

function detailOf({ kind, key, detail }: ItemRow): Record<string, unknown> {
  const [first, second] = key.split('/')
  const address = `https://example.org/${key}`
  switch (kind) {
    case 'MCP_SERVER':
      return {
        owner: first,
        repo: second,
        official: false,
        transport: 'stdio',
        installCommand: `npx -y ${second}`,
        installations: [{ command: `npx -y ${second}`, transport: 'stdio' }],
        envVars: [],
        docsUrl: address,
        repoUrl: address,
        deprecated: false,
        ...detail,
      }
    case 'PLUGIN':
      return {
        marketplaceSlug: first,
        slug: second,
        ecosystem: 'claude-code',
        ecosystems: ['claude-code'],
        installCommand: `/plugin install ${second}@${first}`,
        sourceUrl: address,
        ...detail,
      }
    case 'SKILL':
      return { slug: key, source: 'COMMUNITY', docsUrl: address, repoUrl: address, ...detail }
    case 'GUIDE':
      return { slug: key, url: address, ...detail }
  }
}

/**
 * Writes rows as an import does: one revision for all, announced to whoever listens. An existing
 * key is changed.
 */
export async function putItems(connection: Connection, rows: readonly ItemRow[]): Promise<void> {
  await change(connection, async (client, revision) => {
    for (const row of rows) {
      const { kind, key, name, description = '', category = 'Uncategorized', tags = [], popularity = 0, provenance = [] } = row
      const { license = null } = row
      await client.query(
        `INSERT INTO directory.item (kind, identity, key, name, description, category, tags, popularity, detail, provenance, created_at, updated_at, revision, license)
         VALUES ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9, now(), now(), $10, $11)
         ON CONFLICT (kind, identity) DO UPDATE SET name = $3, description = $4, category = $5, tags = $6, popularity = $7, detail = $8,
           provenance = $9, updated_at = now(), removed_at = NULL, revision = $10, license = $11`,
        [
          kind,
          key,
          name ?? key.split('/').at(-1),
          description,
          category,
          tags,
          popularity,
          JSON.stringify(detailOf(row)),
          JSON.stringify(provenance),
          revision,
          license,
        ],
      )
    }
  })
}

/** Makes tombstones, as an import does when the last source of an item is gone. */
export async function removeItems(connection: Connection, keys: readonly string[]): Promise<void> {
  await change(connection, (client, revision) =>
    client.query('UPDATE directory.item SET removed_at = now(), revision = $2 WHERE key = ANY ($1)', [keys, revision]),
  )
}

async function change(connection: Connection, write: (client: pg.Client, revision: string) => Promise<unknown>): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query('BEGIN')
    const { rows } = await client.query<{ number: string }>(
      'UPDATE directory.revision SET number = number + 1, changed_at = now() RETURNING number',
    )
    await write(client, rows[0]?.number ?? '')
    await client.query('NOTIFY directory_revision')
    await client.query('COMMIT')
  } finally {
    await client.end()
  }
}
