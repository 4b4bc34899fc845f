import { randomUUID } from 'node:crypto'
import { withoutTrailingSlashes } from '../../platform/text/without-trailing-slashes.ts'

/** Timeout of one request to the collector; the end of the process may wait for one. */
const POST_TIMEOUT_MS = 5_000

/** Tells processes with one name apart, whose counts a collector would otherwise mix. */
export const SERVICE_INSTANCE_ID = randomUUID()

/** Where telemetry is sent, and what it is called. */
export type OtlpTarget = {
  /** Base URL of the collector. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
}

/**
 * Sends a message to `path` of the collector, as OTLP over HTTP with JSON. Rejects without an answer
 * of 2xx; the message has neither headers nor the answer.
 */
export async function postOtlp({ endpoint, headers }: OtlpTarget, path: string, message: object): Promise<void> {
  const response = await fetch(`${withoutTrailingSlashes(endpoint)}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(message),
    redirect: 'error',
    signal: AbortSignal.timeout(POST_TIMEOUT_MS),
  })
  // The answer may name rejected items; the next export does not depend on it.
  await response.body?.cancel()
  if (!response.ok) throw new Error(`Expected status 2xx from the collector at ${path}, got ${response.status}.`)
}

/** Resource of all telemetry of this process. */
export const otlpResource = ({ serviceName }: OtlpTarget) => ({
  attributes: otlpAttributes({ 'service.name': serviceName, 'service.instance.id': SERVICE_INSTANCE_ID }),
})

/** Attributes of OTLP's JSON; null and undefined are left out, objects are JSON texts. */
export function otlpAttributes(values: Readonly<Record<string, unknown>>) {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === null || value === undefined) return []
    return [{ key, value: otlpValue(value) }]
  })
}

function otlpValue(value: unknown) {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (Number.isSafeInteger(value)) return { intValue: String(value) }
  if (Number.isFinite(value)) return { doubleValue: value }
  return { stringValue: JSON.stringify(value) ?? String(value) }
}

/** Nanoseconds since 1970 as OTLP's JSON has them: a text of digits. */
export const otlpTime = (milliseconds: number): string => `${Math.round(milliseconds)}000000`
