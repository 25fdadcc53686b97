import type { EnvReader } from './reader.ts'
import { isUrl } from './url.ts'

/** Where traces are sent, and which share of them. */
export interface TracingConfig {
  /** Address of a collector that speaks OTLP over HTTP; `/v1/traces` is appended. */
  readonly endpoint: string
  /** Share of the traces started here that are recorded, 0 to 1. A joined trace follows the decision made at its start. */
  readonly ratio: number
}

/** `OTEL_EXPORTER_OTLP_ENDPOINT` and `OTEL_TRACES_SAMPLER_ARG`, OpenTelemetry's own names. Tracing is off without the first. */
export function readTracing(env: EnvReader): TracingConfig | undefined {
  // Plain HTTP is allowed in production: traces hold no card, token or callback, and collectors run beside the service.
  const meaning = 'Collector that receives traces by OTLP over HTTP; tracing is off when unset'
  const endpoint = env.optional('OTEL_EXPORTER_OTLP_ENDPOINT', meaning, 'URL with `http:` or `https:`')
  if (endpoint === undefined) return undefined
  if (!isUrl(endpoint, ['http:', 'https:'])) env.reject('OTEL_EXPORTER_OTLP_ENDPOINT must be a URL with http: or https:')
  const text = env.text('OTEL_TRACES_SAMPLER_ARG', '1', 'Share of traces to record', 'number, 0 to 1')
  const ratio = /^(?:0|1|0?\.\d{1,9}|1\.0{1,9})$/u.test(text) ? Number(text) : NaN
  if (!(ratio >= 0 && ratio <= 1)) env.reject('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1')
  return { endpoint: endpoint.replace(/\/+$/u, ''), ratio }
}
