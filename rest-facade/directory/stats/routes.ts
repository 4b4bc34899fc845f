import { GetStatsDocument } from '#generated/operations.ts'
import { route } from '../../http/route.ts'

export const statsRoutes = [
  route({
    on: 'GET /api/stats',
    run: GetStatsDocument,
    variables: () => ({}),
    body: ({ stats }) => stats,
  }),
]
