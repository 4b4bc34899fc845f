import type { GatewayConfig } from './config-file.ts'

export type { GatewayConfig }

/**
 * Types a configuration file, and returns the object unchanged; the gateway validates it at start.
 */
export const defineConfig = (config: GatewayConfig): GatewayConfig => config
