import { Command } from 'commander'
import { migrate } from '../platform/database/migrate.ts'
import { importPaths } from '../subgraphs/directory/import/import.ts'
import { cameToNothing, type ImportReport, reportText } from '../subgraphs/directory/import/report.ts'
import { StarsUnreadable } from '../subgraphs/directory/import/stars.ts'
import { MissingPath } from '../subgraphs/directory/import/walk.ts'
import { withDatabase } from './database.ts'
import { interruptible } from './interruptible.ts'
import { progressOn } from './progress.ts'

type Options = { readonly json?: true; readonly stars?: string }

/** `atrium import`: imports registries into the directory. */
export function importCommand(): Command {
  return new Command('import')
    .summary('import registries into the directory')
    .description('import files, folders and registry URLs into the directory; the server may be running')
    .argument('[path...]', 'files, folders, or http(s) URLs of registries with a paged list of servers')
    .option('--stars <file>', 'star counts of repositories: CSV lines of owner/repo,stars,asOf')
    .option('--json', 'print the whole report as JSON on standard output')
    .addHelpText(
      'after',
      `
Reads MCP registry server.json (three shapes), docker, toolhive, mcpm, toolsdk, mcp-get, TensorBlock, lists in a README,
marketplace.json, plugin.json, SKILL.md, and "atrium": "directory/1", detected by their content. A folder named
owner+repository, or a clone, identifies the repository of its files.

Items missing from an imported folder are removed from the directory, and return with the same key. Nothing is
changed until everything has been read; an interrupted import changes nothing.

Exit status: 0 also when some records were skipped; 1 when nothing could be imported; 2 wrong usage; 130 interrupted.`,
    )
    .action(async (paths: string[], { json, stars }: Options, command: Command) => {
      if (paths.length === 0 && stars === undefined) command.error('error: expected a path, a URL or --stars', { exitCode: 2 })
      const progress = progressOn(process.stderr)
      await interruptible('Interrupted: nothing was changed.', async (signal) => {
        const report = await withDatabase(async ({ connection }, log) => {
          await migrate(connection)
          return importPaths(paths, {
            connection,
            log,
            signal,
            progress: progress.show,
            ...(stars === undefined ? {} : { stars }),
          })
        }).finally(progress.clear)
        print(report, json === true)
      }).catch((error: unknown) => {
        if (!(error instanceof MissingPath || error instanceof StarsUnreadable)) throw error
        command.error(`error: ${error.message}`, { exitCode: 2 })
      })
    })
}

function print(report: ImportReport, json: boolean): void {
  process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report))
  if (!cameToNothing(report)) return
  console.error('Nothing could be imported.')
  process.exitCode = 1
}
