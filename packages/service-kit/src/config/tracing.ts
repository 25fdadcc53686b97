import type { EnvReader } from './reader.ts'
import { isUrl } from './url.ts'

/** Where traces go and how many of them. */
export interface TracingConfig {
  /** A collector that speaks OTLP over HTTP; `/v1/traces` is added. */
  readonly endpoint: string
  /** Of the traces that begin here, from 0 to 1; who goes on with a trace does as its beginning did. */
  readonly ratio: number
}

/** OpenTelemetry's own names: `OTEL_EXPORTER_OTLP_ENDPOINT` and `OTEL_TRACES_SAMPLER_ARG`. Without the first nothing is traced. */
export function readTracing(env: EnvReader): TracingConfig | undefined {
  // Plain HTTP in production too: no card, token or callback is in a trace, and collectors stand next to the service.
  const meaning = 'the collector that traces go to, by OTLP over HTTP; no traces without it'
  const endpoint = env.optional('OTEL_EXPORTER_OTLP_ENDPOINT', meaning, 'URL with `http:` or `https:`')
  if (endpoint === undefined) return undefined
  if (!isUrl(endpoint, ['http:', 'https:'])) env.reject('OTEL_EXPORTER_OTLP_ENDPOINT must be a URL with http: or https:')
  const text = env.text('OTEL_TRACES_SAMPLER_ARG', '1', 'the share of traces that is recorded', 'number, 0 to 1')
  const ratio = /^(?:0|1|0?\.\d{1,9}|1\.0{1,9})$/u.test(text) ? Number(text) : NaN
  if (!(ratio >= 0 && ratio <= 1)) env.reject('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1')
  return { endpoint: endpoint.replace(/\/+$/u, ''), ratio }
}
