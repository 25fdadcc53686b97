/** A trace collector: it receives OTLP as JSON over HTTP and keeps every span. */
import { compile, requiredFields, type FromSchema } from '@gateway/contracts'
import { startJsonServer } from '@gateway/testkit'

/** One received span. */
export type Span = ReturnType<typeof toSpan>
export type Collector = Awaited<ReturnType<typeof startCollector>>

const text = { type: 'string' } as const
const listOf = <const Items extends object>(items: Items) => ({ type: 'array', items }) as const
const span = {
  type: 'object',
  required: ['traceId', 'spanId', 'name', 'startTimeUnixNano', 'endTimeUnixNano'],
  properties: {
    ...{ traceId: text, spanId: text, parentSpanId: text, name: text, startTimeUnixNano: text, endTimeUnixNano: text },
    links: listOf(requiredFields({ traceId: text })),
  },
} as const
const attribute = requiredFields({ key: text, value: { type: 'object', properties: { stringValue: text } } } as const)
const resourceSpans = requiredFields({
  resource: requiredFields({ attributes: listOf(attribute) }),
  scopeSpans: listOf(requiredFields({ spans: listOf(span) })),
})
const exportSchema = requiredFields({ resourceSpans: listOf(resourceSpans) })
const exportRequest = compile(exportSchema)

export async function startCollector() {
  const received: Span[] = []
  const server = await startJsonServer(({ path, body }) => {
    if (path !== '/v1/traces') return { status: 404 }
    received.push(...spansOf(exportRequest.parse(body)))
    return { status: 200 }
  })
  return { url: server.url, spans: (): readonly Span[] => received, stop: () => server.stop() }
}

function spansOf({ resourceSpans: all }: FromSchema<typeof exportSchema>): Span[] {
  return all.flatMap(({ resource, scopeSpans }) => {
    const name = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? ''
    return scopeSpans.flatMap(({ spans }) => spans.map((one) => toSpan(name, one)))
  })
}

function toSpan(service: string, wire: FromSchema<typeof span>) {
  const { traceId, spanId, parentSpanId, name, startTimeUnixNano, endTimeUnixNano, links = [] } = wire
  return {
    service,
    traceId,
    spanId,
    /** `undefined` for the root span of a trace. */
    parentSpanId: parentSpanId === '' ? undefined : parentSpanId,
    name,
    durationMs: Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6,
    links: links.map((link) => link.traceId),
    /** The whole span as it was received. */
    text: JSON.stringify(wire),
  }
}
