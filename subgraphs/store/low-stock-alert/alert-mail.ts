import type { MailTemplate } from '../mail/send.ts'
import type { StoreRepository } from '../store/repository.ts'
import { itemRow, MAX_LISTED_ITEMS } from './low-stock-alert.ts'
import type { LowStockAlertRepository } from './repository.ts'

/** Where a store sees its products that are low in stock. */
const LOW_STOCK_PAGE = '/console/products?stock=low'

/**
 * The e-mail about items that are low in stock, as they are when it is sent: what was stocked up
 * meanwhile is left out, and nobody gets it who is no recipient any more.
 */
export const lowStockMail =
  ({
    lowStockAlerts,
    stores,
    publicUrl,
  }: {
    readonly lowStockAlerts: LowStockAlertRepository
    readonly stores: StoreRepository
    readonly publicUrl: string
  }): MailTemplate =>
  async ({ storeId, subjectId, staffMemberId = null }) => {
    const [[store], recipients, { items, count }] = await Promise.all([
      stores.findByIds([storeId]),
      lowStockAlerts.recipients(storeId),
      lowStockAlerts.items(storeId, subjectId, MAX_LISTED_ITEMS),
    ])
    const recipient = recipients.find((each) => each.staffMemberId === staffMemberId)
    if (!store?.sendsLowStockAlerts || !recipient || count === 0) return null
    const counted = count === 1 ? '1 item is' : `${count} items are`
    return {
      to: recipient.email,
      fromName: store.name,
      replyTo: null,
      subject: `${counted} low in stock at ${store.name}`,
      blocks: [
        { kind: 'text', text: `${counted} at or below the number that you set as low.` },
        { kind: 'table', rows: items.map(itemRow) },
        ...(count > items.length ? [{ kind: 'text' as const, text: `And ${count - items.length} more.` }] : []),
        { kind: 'link', text: 'See what is low in stock', url: `${publicUrl}${LOW_STOCK_PAGE}` },
        {
          kind: 'text',
          text: 'Each item is reported once, until it is above its number again. The settings of the store switch these e-mails off.',
        },
      ],
    }
  }
