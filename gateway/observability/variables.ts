import { z } from 'zod'
import { urlWithProtocol, type Variables, wholeNumber } from '../../platform/config/config.ts'

const exporter = z.enum(['none', 'otlp'], 'one of none, otlp')

/** Settings of OpenTelemetry: those of its specification, with its names. */
export const telemetryVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    read: urlWithProtocol(['http:', 'https:'], 'an http or https URL such as http://localhost:4318'),
    default: null,
    unit: null,
    meaning: 'OpenTelemetry collector for spans, by OTLP over HTTP; unset, there are none.',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    read: z
      .string()
      .regex(
        /^\s*[\w-]+=[\x21-\x2b\x2d-\x7e]*(\s*,\s*[\w-]+=[\x21-\x2b\x2d-\x7e]*)*\s*$/,
        'headers such as name=value,name=value',
      )
      .transform(headersOf)
      // Errors of `fetch` quote values that no header can hold.
      .refine(
        (headers) => Object.values(headers).every((value) => /^[\x20-\x7e]*$/.test(value)),
        'headers whose decoded values are visible ASCII characters',
      ),
    default: null,
    unit: null,
    secret: true,
    meaning: 'Headers for the collector, such as x-api-key=…, separated by commas, with percent-encoded values.',
  },
  OTEL_SERVICE_NAME: {
    read: z.string(),
    default: 'atrium',
    unit: null,
    meaning: 'What spans, metrics and logs call this process.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    read: z
      .string()
      .regex(/^(0|1|0?\.\d{1,9})$/, 'a number from 0 to 1')
      .transform(Number),
    default: '1',
    unit: null,
    meaning: 'Share of the traces begun here that are sent; one that a client began is sent if its traceparent says so.',
  },
  OTEL_METRICS_EXPORTER: {
    read: exporter,
    default: 'none',
    unit: null,
    meaning: 'otlp also sends the metrics to the collector, with the names that they have for Prometheus.',
  },
  OTEL_METRIC_EXPORT_INTERVAL: {
    read: wholeNumber(1_000, 3_600_000),
    default: '60000',
    unit: 'milliseconds',
    meaning: 'Pause between two exports of metrics.',
  },
  OTEL_LOGS_EXPORTER: {
    read: exporter,
    default: 'none',
    unit: null,
    meaning: 'otlp also sends the log lines to the collector.',
  },
} as const satisfies Variables

/** Headers by name; a value that is not percent-encoded stays as it is. */
function headersOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const at = pair.indexOf('=')
      return [pair.slice(0, at).trim().toLowerCase(), decoded(pair.slice(at + 1).trim())]
    }),
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
