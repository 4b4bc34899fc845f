import type { App } from '../app/app.ts'

/** How a store stands to an app. */
export type AppInstallation = {
  readonly storeId: number
  readonly app: App
  /** Null: it is not installed. */
  readonly installedAt: Date | null
}
