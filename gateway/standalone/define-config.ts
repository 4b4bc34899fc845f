import type { GatewayConfig } from './config-file.ts'

export type { GatewayConfig }

/**
 * Types the configuration file of the stand-alone gateway, and returns it as it is; the gateway
 * validates it when it starts.
 */
export const defineConfig = (config: GatewayConfig): GatewayConfig => config
