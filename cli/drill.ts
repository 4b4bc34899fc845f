import { Command, InvalidArgumentError } from 'commander'
import { drill } from './backup/drill.ts'
import { interruptible } from './interruptible.ts'

type Options = {
  readonly stanza: string
  readonly config?: string
  readonly at?: Date
  readonly postgres?: string
  readonly json?: true
}

/** `atrium db drill`: restores an archive of pgBackRest to a point in time, and counts. */
export function drillCommand(): Command {
  return new Command('drill')
    .description('restore an archive of pgBackRest to a point in time, count its rows, and remove it again')
    .option('--at <time>', 'time to restore to, such as 2026-11-26T10:00:00Z; the end of the archive by default', parseTime)
    .option('--stanza <name>', 'stanza of pgBackRest', 'atrium')
    .option('--config <file>', 'configuration file of pgBackRest')
    .option('--postgres <folder>', 'folder of postgres, of the version of the backup')
    .option('--json', 'print {restoredTo, seconds: {files, log, check}, rows, unusable} on standard output')
    .addHelpText(
      'after',
      `
Uses a temporary folder and a Unix socket in it: no running server is touched, and nothing is written to the archive. Exit status 1 when the
restored database cannot be used by this version.`,
    )
    .action(async ({ stanza, config, at, postgres, json }: Options) => {
      await interruptible('Interrupted: nothing was left behind.', async (signal) => {
        const report = await drill({ stanza, config, at, bin: postgres, signal })
        const { rows, seconds, restoredTo, unusable } = report
        if (unusable.length > 0) process.exitCode = 1
        if (json) return console.log(JSON.stringify(report, null, 2))
        const sum = Object.values(rows)
          .reduce((total, count) => total + count, 0)
          .toLocaleString('en-US')
        console.log(`Restored ${sum} rows, up to ${restoredTo ?? 'the backup itself'}.`)
        console.log(`Files took ${seconds.files} s, the log ${seconds.log} s, counting ${seconds.check} s.`)
        for (const name of unusable) console.log(`This version cannot use it: ${name}.`)
      })
    })
}

/** A time of ISO 8601 with its zone: without one, operators and servers may mean different ones. */
function parseTime(text: string): Date {
  const time = new Date(text)
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(time.getTime())) return time
  throw new InvalidArgumentError('Expected a time with its zone, such as 2026-11-26T10:00:00Z.')
}
