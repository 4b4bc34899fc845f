import type { Route } from '../http/route.ts'
import { decisionRoutes } from './decision/routes.ts'
import { decisionJobRoutes } from './decision-job/routes.ts'
import { decisionReportRoutes } from './decision-report/routes.ts'
import { keyRoutes } from './key/routes.ts'
import { operatorListRoutes } from './operator-list/routes.ts'
import { overrideRoutes } from './override/routes.ts'
import { watchedDomainRoutes } from './watched-domain/routes.ts'

/** Every operation of the trust API. */
export const trustRoutes: readonly Route<unknown>[] = [
  ...decisionRoutes,
  ...decisionJobRoutes,
  ...overrideRoutes,
  ...operatorListRoutes,
  ...decisionReportRoutes,
  ...watchedDomainRoutes,
  ...keyRoutes,
]
