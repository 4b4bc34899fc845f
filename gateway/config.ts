import { z } from 'zod'
import { variables as all } from '../config.ts'
import { jwtVariables } from './authorization/variables.ts'

const {
  HOST,
  PORT,
  LOG_LEVEL,
  SLOW_OPERATION_MILLISECONDS,
  LOAD_LIMIT,
  DEPTH_LIMIT,
  COST_LIMIT,
  COST_PROFILE,
  COST_SCALAR,
  COST_OBJECT,
  COST_LIST_FACTOR,
} = all
const { COST_BUDGET, REDIS_URL, TRUSTED_PROXIES, SHUTDOWN_GRACE_SECONDS, SHUTDOWN_DRAIN_SECONDS } = all
const { BATCH_LIMIT, PERSISTED_MANIFEST, PERSISTED_ONLY, INTROSPECTION, EXPLORER } = all
const { METRICS, METRICS_PORT, METRICS_TOKEN, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER_ARG } = all
const { RESPONSE_CACHE_BYTES, SUBGRAPH_TIMEOUT_MILLISECONDS } = all

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
  TRUSTED_PROXIES,
  SUBGRAPH_TIMEOUT_MILLISECONDS,
  LOAD_LIMIT,
  DEPTH_LIMIT,
  COST_LIMIT,
  BATCH_LIMIT,
  PERSISTED_MANIFEST,
  PERSISTED_ONLY,
  INTROSPECTION,
  EXPLORER,
  COST_PROFILE,
  COST_SCALAR,
  COST_OBJECT,
  COST_LIST_FACTOR,
  COST_BUDGET,
  REDIS_URL,
  LOG_LEVEL,
  SLOW_OPERATION_MILLISECONDS,
  METRICS,
  METRICS_PORT,
  METRICS_TOKEN,
  OTEL_EXPORTER_OTLP_ENDPOINT,
  OTEL_SERVICE_NAME,
  OTEL_TRACES_SAMPLER_ARG,
  ...jwtVariables,
  RESPONSE_CACHE_BYTES,
  SHUTDOWN_GRACE_SECONDS,
  SHUTDOWN_DRAIN_SECONDS,
} as const
