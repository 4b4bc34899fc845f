import { AccountReportDecisionDocument, type DecisionReportKind, type RecommendedAction } from '#generated/operations.ts'
import { userForm } from '../account/page.ts'
import { refusedBecause } from '../frame/change.ts'
import { dataOf } from '../frame/page.ts'
import { trust } from './own-pages.ts'
import { REPORTS } from './reports.ts'

/** Forms of the trust pages of an account. */
export const trustForms = [
  userForm({
    path: REPORTS,
    on: trust,
    operations: [AccountReportDecisionDocument],
    async submit({ field, run }) {
      const about = field('about').trim()
      const input = {
        keyId: field('key'),
        ...(about.startsWith('dec_') ? { decisionId: about } : { target: about }),
        // The graph refuses other words than those of the form.
        kind: field('kind') as DecisionReportKind,
        expectedAction: (field('expected') || null) as RecommendedAction | null,
        text: field('text').replaceAll('\r\n', '\n'),
      }
      const { result } = dataOf(await run(AccountReportDecisionDocument, { input }))
      return result.__typename === 'ReportDecisionSuccess'
        ? { kind: 'done', at: trust.path, notice: 'reported' }
        : refusedBecause(result.message)
    },
  }),
]
