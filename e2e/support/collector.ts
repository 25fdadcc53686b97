/** A trace collector: it receives OTLP as JSON over HTTP and keeps every span. */
import { compile, type FromSchema } from '@gateway/contracts'
import { startJsonServer } from '@gateway/testkit'

/** One received span. */
export interface Span {
  readonly service: string
  readonly traceId: string
  readonly spanId: string
  /** `undefined` for the root span of a trace. */
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly durationMs: number
  readonly links: readonly string[]
  /** The whole span as it was received, as JSON. */
  readonly text: string
}

export interface Collector {
  readonly url: string
  spans(): readonly Span[]
  stop(): Promise<void>
}

const text = { type: 'string' } as const
const span = {
  type: 'object',
  required: ['traceId', 'spanId', 'name', 'startTimeUnixNano', 'endTimeUnixNano'],
  properties: {
    traceId: text,
    spanId: text,
    parentSpanId: text,
    name: text,
    startTimeUnixNano: text,
    endTimeUnixNano: text,
    links: { type: 'array', items: { type: 'object', required: ['traceId'], properties: { traceId: text } } },
  },
} as const
const scope = { type: 'object', required: ['spans'], properties: { spans: { type: 'array', items: span } } } as const
const attribute = {
  type: 'object',
  required: ['key', 'value'],
  properties: { key: text, value: { type: 'object', properties: { stringValue: text } } },
} as const
const resourceSpans = {
  type: 'object',
  required: ['resource', 'scopeSpans'],
  properties: {
    resource: { type: 'object', required: ['attributes'], properties: { attributes: { type: 'array', items: attribute } } },
    scopeSpans: { type: 'array', items: scope },
  },
} as const

const exportSchema = {
  type: 'object',
  required: ['resourceSpans'],
  properties: { resourceSpans: { type: 'array', items: resourceSpans } },
} as const
type ExportRequest = FromSchema<typeof exportSchema>
type WireSpan = FromSchema<typeof span>
const exportRequest = compile(exportSchema)

export async function startCollector(): Promise<Collector> {
  const received: Span[] = []
  const server = await startJsonServer(({ path, body }) => {
    if (path !== '/v1/traces') return { status: 404 }
    received.push(...spansOf(exportRequest.parse(body)))
    return { status: 200 }
  })
  return { url: server.url, spans: () => received, stop: () => server.stop() }
}

function spansOf({ resourceSpans: all }: ExportRequest): Span[] {
  return all.flatMap(({ resource, scopeSpans }) => {
    const name = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? ''
    return scopeSpans.flatMap(({ spans }) => spans.map((one) => toSpan(name, one)))
  })
}

function toSpan(service: string, wire: WireSpan): Span {
  const { traceId, spanId, parentSpanId, name, startTimeUnixNano, endTimeUnixNano, links = [] } = wire
  return {
    service,
    traceId,
    spanId,
    parentSpanId: parentSpanId === '' ? undefined : parentSpanId,
    name,
    durationMs: Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6,
    links: links.map((link) => link.traceId),
    text: JSON.stringify(wire),
  }
}
