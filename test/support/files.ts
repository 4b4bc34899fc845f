import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Files, storeFiles } from '../../subgraphs/store/file/files.ts'
import { type LocalStorage, localStorage } from '../../subgraphs/store/file/local-storage.ts'
import { fileSources } from '../../subgraphs/store/file/source.ts'

/**
 * Stored files in a folder that goes when they are closed. What a test's own servers on 127.0.0.1
 * have may be fetched.
 */
export async function temporaryFiles(publicUrl = 'https://atrium.example'): Promise<Files & { readonly local: LocalStorage }> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-files-test-'))
  const local = await localStorage({ folder, publicUrl })
  const sources = fileSources({ resolvers: [], allow: ({ address }) => address === '127.0.0.1' })
  const files = storeFiles(local, sources)
  return {
    ...files,
    local,
    async close() {
      await files.close()
      rmSync(folder, { recursive: true })
    },
  }
}
