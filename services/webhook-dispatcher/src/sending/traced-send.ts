import { currentCorrelation } from '@gateway/service-kit'
import { beginSpan, SpanKind, type LiveSpan } from '@gateway/service-kit/tracing'
import type { AttemptResult } from './result.ts'
import type { SendWebhook, WebhookRequest } from './webhook-client.ts'

/** Each POST as a span, without its address and answer. No trace header is sent to the merchant. */
export function tracedSend(send: SendWebhook): SendWebhook {
  const sendIn = async (span: LiveSpan, request: WebhookRequest): Promise<AttemptResult> => {
    const result = await send(request)
    span.end({
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': result.statusCode ?? undefined,
        'error.type': result.error ?? undefined,
      },
      failed: result.statusCode !== 200,
    })
    return result
  }
  return (request) => {
    const span = beginSpan('POST webhook', { kind: SpanKind.CLIENT, parent: currentCorrelation().trace })
    return span ? sendIn(span, request) : send(request)
  }
}
