import {
  CreateHookDocument,
  DeleteHookDocument,
  GetHookDocument,
  ListHooksDocument,
  UpdateHookDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const webhookSubscriptionRoutes = [
  route({ run: ListHooksDocument, answer: 'webhookSubscriptions.nodes' }),
  route({ run: GetHookDocument, answer: 'webhookSubscription' }),
  route({ run: CreateHookDocument, answer: 'result.webhookSubscription' }),
  route({ run: UpdateHookDocument, answer: 'result.webhookSubscription' }),
  route({ run: DeleteHookDocument }),
]
