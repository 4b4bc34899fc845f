import {
  CreatePromotionDocument,
  DeletePromotionDocument,
  GetPromotionDocument,
  ListPromotionsDocument,
  UpdatePromotionDocument,
} from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const promotionRoutes = [
  route({ run: ListPromotionsDocument, answer: 'promotions.nodes' }),
  route({ run: GetPromotionDocument, answer: 'promotion' }),
  route({ run: CreatePromotionDocument, answer: 'result.promotion' }),
  route({ run: UpdatePromotionDocument, answer: 'result.promotion' }),
  route({ run: DeletePromotionDocument }),
]
