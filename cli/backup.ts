import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { variables } from '../config.ts'
import { readConfig } from '../platform/config/config.ts'
import { backUp } from '../platform/database/backup/backup.ts'
import { restore } from '../platform/database/backup/restore.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import type { FileStorage } from '../subgraphs/store/file/storage.ts'
import { backupFiles, fileDestination } from './backup/files.ts'
import { withDatabase } from './database.ts'
import { interruptible } from './interruptible.ts'
import { progressOn } from './progress.ts'

type Output = { readonly json?: true }

/** `atrium db backup`: backs up the database and the stored files of this machine. */
export function backupCommand(): Command {
  return new Command('backup')
    .description('back up the whole database and the stored files of this machine into one file; the server may be running')
    .argument('<path>', 'new file, or folder for a file named by the time')
    .option('--json', 'print {file, takenAt, bytes, files, hasFiles, rows} on standard output')
    .addHelpText(
      'after',
      `
The file is a consistent snapshot: a compressed tar archive with checksums at its end. It contains every secret of the database: protect it
like the database. With S3_BUCKET_URL stored files are in the bucket and not in the backup: enable versions of the bucket.`,
    )
    .action(async (path: string, { json }: Output) => {
      const file = fileFor(path)
      const progress = progressOn(process.stderr)
      await interruptible('Interrupted: nothing was written.', async (signal) => {
        const report = await withStorage(async ({ storage, isLocal }) => {
          const files = isLocal ? backupFiles(storage) : null
          const show = (rows: number) => progress.show({ phase: 'backing-up', done: rows, total: null })
          return withDatabase(({ connection }) => backUp({ connection, file, files, signal, progress: show }))
        }).finally(progress.clear)
        const { rows, files, bytes, hasFiles } = report
        if (json) return console.log(JSON.stringify({ file, ...report }, null, 2))
        const filesText = hasFiles ? `${formatCount(files)} files` : 'no files, which are in the bucket of S3_BUCKET_URL'
        console.log(`Wrote ${file}: ${formatCount(sumOf(rows))} rows and ${filesText}, ${formatCount(bytes)} bytes.`)
      })
    })
}

type Restore = Output & { readonly force?: true }

/** `atrium db restore`: restores a backup. */
export function restoreCommand(): Command {
  return new Command('restore')
    .description('restore the database and the stored files from a backup, atomically')
    .argument('<file>', 'file of `db backup`, of this version or an older one')
    .option('--force', 'delete the current contents of the database')
    .option('--json', 'print {takenAt, files, hasFiles, rows, applied} on standard output')
    .addHelpText(
      'after',
      `
The database must be empty unless --force is given, and every process of Atrium must be stopped. Waiting webhook deliveries are sent after the next start.`,
    )
    .action(async (file: string, { force, json }: Restore) => {
      if (!existsSync(file)) throw new OperatorError(`There is no file "${file}".`)
      const { size } = statSync(file)
      const progress = progressOn(process.stderr)
      await interruptible('Interrupted: nothing was changed.', async (signal) => {
        const show = (bytes: number) => progress.show({ phase: 'restoring', done: bytes, total: size })
        const report = await withStorage(({ storage }) =>
          withDatabase(({ connection }) =>
            restore({
              connection,
              file,
              files: fileDestination(storage),
              force: force === true,
              // Releases waiting deliveries: their pg-boss jobs are not in the backup, so workers
              // create new ones.
              afterLoad: [`UPDATE store.webhook_delivery SET taken_by = NULL, taken_run = NULL WHERE status = 'waiting'`],
              extraSchemas: ['store_jobs', 'directory_jobs', 'store_partitions', 'store_unpartitioned'],
              signal,
              progress: show,
            }),
          ),
        ).finally(progress.clear)
        const { rows, files, takenAt, applied } = report
        if (json) return console.log(JSON.stringify(report, null, 2))
        const lines = [
          `Restored ${formatCount(sumOf(rows))} rows and ${formatCount(files)} files of ${takenAt}.`,
          ...applied.map((name) => `Applied ${name}.`),
          ...(report.hasFiles ? [] : ['Stored files are in a bucket and not in this backup.']),
        ]
        console.log(lines.join('\n'))
      })
    })
}

/** Path of the backup file; an existing path must be a folder. */
function fileFor(path: string): string {
  if (!existsSync(path)) return path
  if (!statSync(path).isDirectory()) throw new OperatorError(`There is a file "${path}" already; backups never overwrite files.`)
  return join(path, `atrium-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}Z.tar.gz`)
}

/** Runs `work` with the configured file storage. */
export async function withStorage<Result>(
  work: (files: { readonly storage: FileStorage; readonly isLocal: boolean }) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(variables, process.env)
  const { fileStorageOf } = await import('../subgraphs/store/file/configured.ts')
  // `publicUrl` is unused: this command prints no file URLs.
  const { storage, local } = await fileStorageOf(config, { dataDir: config.DATA_DIR, publicUrl: '' })
  try {
    return await work({ storage, isLocal: local !== null })
  } finally {
    await storage.close()
  }
}

const sumOf = (rows: Readonly<Record<string, number>>): number => Object.values(rows).reduce((sum, count) => sum + count, 0)
const formatCount = (value: number): string => value.toLocaleString('en-US')
