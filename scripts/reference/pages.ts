import { boundsPage } from './bounds.ts'
import { commandsPage } from './commands.ts'
import { comparisonPage } from './comparison.ts'
import { errorsPage } from './errors.ts'
import { eventsPage } from './events.ts'
import { metricsPage } from './metrics.ts'
import { operationLimitsPage } from './operation-limits.ts'
import { optionsPage } from './options.ts'
import { settingsPage } from './settings.ts'
import { staffRolesPage } from './staff-roles.ts'

/** Pages of the reference that code states, by their files from the root of the repository. */
export const referencePages = async (): Promise<ReadonlyMap<string, string>> =>
  new Map([
    ['docs/reference/settings.md', settingsPage()],
    ['docs/reference/options.md', optionsPage()],
    ['docs/reference/errors.md', errorsPage()],
    ['docs/reference/bounds.md', boundsPage()],
    ['docs/reference/commands.md', await commandsPage()],
    ['docs/reference/metrics.md', metricsPage()],
    ['docs/gateway/comparison.md', comparisonPage()],
    ['docs/reference/events.md', eventsPage()],
    ['docs/reference/operation-limits.md', operationLimitsPage()],
    ['docs/reference/staff-roles.md', staffRolesPage()],
  ])
