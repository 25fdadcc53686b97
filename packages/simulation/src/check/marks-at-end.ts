import type { SimulatedWorld } from '../world.ts'
import type { Mark } from './marks.ts'

/** What has happened in a run, as far as its end shows it. */
export function marksOf({ bank, receiver, merchants }: Pick<SimulatedWorld, 'bank' | 'receiver' | 'merchants'>): string[] {
  const acknowledged = receiver.webhooks.filter(({ answered }) => answered === 200)
  const seen: Readonly<Partial<Record<Mark, boolean>>> = {
    'a client got no answer': merchants.operations.some(({ type }) => type === 'info'),
    'a webhook was refused at first': acknowledged.length < receiver.webhooks.length,
    'a webhook came twice': new Set(acknowledged.map(({ id }) => id)).size < acknowledged.length,
    'a capture was reversed': bank.payments.some(({ reversedBy }) => reversedBy.size > 0),
    'a refund was made': bank.payments.some(({ refunds }) => refunds.size > 0),
    'an order was created twice at once': merchants.operations.some(
      ({ process, type }) => process.endsWith('again') && type === 'ok',
    ),
  }
  return Object.entries(seen).flatMap(([mark, isSeen]) => (isSeen ? [mark] : []))
}
