import type { Generated, GeneratedAlways } from 'kysely'

/** Webhooks of stores and what became of them, as tables. */
export type WebhookTables = {
  webhook_subscription: {
    store_id: number
    id: GeneratedAlways<number>
    name: string | null
    event: string
    url: string
    failure_count: Generated<number>
    failing_since: Date | null
    paused_at: Date | null
    created_at: Date
    updated_at: Date
    version: Generated<number>
  }
  webhook_delivery: {
    store_id: number
    id: GeneratedAlways<string>
    subscription_id: number
    url: string
    event: string
    entity: string
    entity_id: number
    triggered_at: Date
    is_test: Generated<boolean>
    status: Generated<'waiting' | 'delivered' | 'failed'>
    tries: Generated<number>
    due_at: Date
    taken_by: string | null
    taken_run: number | null
    body: string | null
    created_at: Date
    finished_at: Date | null
  }
  webhook_attempt: {
    store_id: number
    delivery_id: string
    number: number
    started_at: Date
    milliseconds: number
    status: number | null
    error: string | null
    response: string | null
  }
}
