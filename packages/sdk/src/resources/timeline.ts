import { OPERATIONS } from '../generated/operations.ts'
import type { Transport } from '../http/transport.ts'
import type { Timeline } from '../generated/types.ts'

export async function readTimeline(send: Transport, orderId: string): Promise<Timeline> {
  const { body } = await send(OPERATIONS.readTimeline, { id: orderId })
  const { data, incomplete } = body as { data: Pick<Timeline, 'events'>; incomplete: Timeline['incomplete'] }
  return { ...data, incomplete }
}
