import type { TransactionStatusChanged } from '@gateway/contracts'
import { createBatcher } from '@gateway/service-kit'
import { copyOf, type Copy } from '../domain/copy.ts'
import type { Copies } from '../persistence/copies.ts'

/** Resolves when the copy of the event is stored. */
export type StoreCopy = (event: TransactionStatusChanged) => Promise<void>

/** Copies in one command, and those that wait for it. */
export const MAX_COPIES = 50
/** How long the first copy waits for others. A person who watches the copies does not notice it. */
const MAX_DELAY_MS = 250

/** Stores a batch four times a second at most. So copies take little from deliveries, however many events come at once. */
export function makeStoreCopy({ copies, now }: { copies: Pick<Copies, 'append'>; now: () => Date }): StoreCopy {
  const append = createBatcher<Copy, undefined>({
    maxBatchSize: MAX_COPIES,
    maxQueued: 2 * MAX_COPIES,
    maxDelayMs: MAX_DELAY_MS,
    flushAtSize: Infinity,
    run: async (batch) => {
      await copies.append(batch, now())
      return batch.map(() => ({ status: 'fulfilled', value: undefined }))
    },
  })
  return async (event) => {
    await append(copyOf(event))
  }
}
