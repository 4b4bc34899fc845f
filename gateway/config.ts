import { z } from 'zod'
import { variables as all } from '../config.ts'

const {
  HOST,
  PORT,
  LOG_LEVEL,
  DEPTH_LIMIT,
  COST_LIMIT,
  METRICS,
  METRICS_PORT,
  OTEL_EXPORTER_OTLP_ENDPOINT,
  OTEL_SERVICE_NAME,
  OTEL_TRACES_SAMPLER_ARG,
  RESPONSE_CACHE_BYTES,
  SHUTDOWN_GRACE_SECONDS,
} = all

/** The variables of `node gateway/main.ts`: those of the whole system that concern a gateway, and the graph that it serves. */
export const variables = {
  SUPERGRAPH_FILE: {
    read: z.string(),
    default: null,
    unit: null,
    meaning: 'File with a composed federation 2 supergraph whose join__Graph says where its subgraphs are; required.',
  },
  HOST,
  PORT,
  DEPTH_LIMIT,
  COST_LIMIT,
  LOG_LEVEL,
  METRICS,
  METRICS_PORT,
  OTEL_EXPORTER_OTLP_ENDPOINT,
  OTEL_SERVICE_NAME,
  OTEL_TRACES_SAMPLER_ARG,
  RESPONSE_CACHE_BYTES,
  SHUTDOWN_GRACE_SECONDS,
} as const
