import { Command, Option } from 'commander'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { decodeId, encodeId } from '../../subgraphs/toolkit/ids.ts'
import {
  type DecisionReport,
  type DecisionReportStatus,
  REPORT_STATUSES,
} from '../../subgraphs/trust/decision-report/decision-report.ts'
import { LIST_SCOPES, type ListScope } from '../../subgraphs/trust/operator-list/operator-list.ts'
import { printable } from '../printable.ts'
import type { WithTrust } from './with-trust.ts'

/** Author of answers to a report. */
const PROGRAM = 'atrium'
/** Upper bound of listed reports. */
const MAX_LISTED_REPORTS = 1_000

/** `atrium trust report`: reports of wrong decisions from owners of API keys. */
export function reportCommand(withTrust: WithTrust): Command {
  return new Command('report')
    .description('show and answer reports of wrong decisions')
    .addCommand(listCommand(withTrust))
    .addCommand(resolveCommand(withTrust))
}

function listCommand(withTrust: WithTrust): Command {
  return new Command('list')
    .description('list reports of all keys, newest first')
    .addOption(new Option('--status <status>', 'only those with this status').choices(REPORT_STATUSES).default('open'))
    .option(
      '--json',
      'print [{id, decisionId, host, action, kind, expectedAction, text, status, answer, createdAt, resolvedAt}] on standard output',
    )
    .action(async ({ status, json }: { readonly status: DecisionReportStatus; readonly json?: true }) => {
      const range = { size: MAX_LISTED_REPORTS, after: null, offset: 0 }
      const found = await withTrust(({ reports }) => reports.list({ keyId: null, status }, range))
      const shown = found.slice(0, MAX_LISTED_REPORTS).map((report) => ({ ...report, id: encodeId('DecisionReport', report.id) }))
      if (json) console.log(JSON.stringify(shown, null, 2))
      else for (const report of shown) console.log(lineOf(report))
    })
}

type ResolveOptions = {
  readonly accept?: true
  readonly reject?: true
  readonly answer: string
  readonly allow?: string
  readonly block?: string
  readonly scope?: ListScope
}

function resolveCommand(withTrust: WithTrust): Command {
  return new Command('resolve')
    .description('answer an open report')
    .argument('<id>', 'as `list` shows it')
    .addOption(new Option('--accept', 'agree with it').conflicts('reject'))
    .option('--reject', 'do not agree')
    .requiredOption('--answer <text>', 'answer for the owner of the key, and reason of the entry')
    .addOption(new Option('--allow <target>', 'add the target to the allow list, in the same transaction').conflicts('block'))
    .option('--block <target>', 'add it to the block list')
    .addOption(new Option('--scope <scope>', 'what the entry covers; the form of the target by default').choices(LIST_SCOPES))
    .action(async (id: string, { accept, reject, answer, allow, block, scope }: ResolveOptions) => {
      if (!accept && !reject) throw new OperatorError('Expected --accept or --reject.')
      const target = allow ?? block ?? null
      const { resolveReport } = await import('../../subgraphs/trust/decision-report/actions.ts')
      const result = await withTrust((trust) =>
        resolveReport(
          {
            id: decodeId(id, 'DecisionReport'),
            isAccepted: accept === true,
            answer,
            list: target === null ? null : allow === undefined ? 'block' : 'allow',
            entry: target === null ? null : { target, scope: scope ?? null, reason: answer.slice(0, 500), expiresAt: null },
          },
          PROGRAM,
          trust,
        ),
      )
      if ('faults' in result) throw new OperatorError(result.faults.map(({ message }) => message).join(' '))
      const { report, entry } = result
      console.log(printable(`${report.status} ${report.host}${entry ? `, ${entry.list} ${entry.target}` : ''}`))
    })
}

const lineOf = ({ id, createdAt, kind, action, expectedAction, host, text, answer }: DecisionReport): string =>
  printable(
    [
      id,
      createdAt.toISOString().slice(0, 16),
      kind,
      expectedAction === null ? action : `${action} → ${expectedAction}`,
      host,
      oneLine(text),
    ].join('  ') + (answer === null ? '' : `  → ${oneLine(answer)}`),
  )

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')
