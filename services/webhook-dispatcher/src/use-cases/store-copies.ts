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

/** While first attempts queue up, a batch waits this long at most, and looks this often whether they still do. */
const MAX_BUSY_WAIT_MS = 2000
const LOOK_EVERY_MS = 100

export interface StoreCopyOptions {
  readonly copies: Pick<Copies, 'append'>
  /** True while first attempts queue up: they need the processor more than copies do. */
  readonly isBusy: () => boolean
  readonly waitUntil: (instantMs: number) => Promise<void>
  readonly now: () => Date
}

/** Stores a batch four times a second at most. So copies take little from deliveries, however many events come at once. */
export function makeStoreCopy({ copies, isBusy, waitUntil, now }: StoreCopyOptions): StoreCopy {
  async function untilQuiet(): Promise<void> {
    const endsAtMs = now().getTime() + MAX_BUSY_WAIT_MS
    while (isBusy() && now().getTime() < endsAtMs) await waitUntil(now().getTime() + LOOK_EVERY_MS)
  }

  const append = createBatcher<Copy, undefined>({
    maxBatchSize: MAX_COPIES,
    maxQueued: 2 * MAX_COPIES,
    maxDelayMs: MAX_DELAY_MS,
    flushAtSize: Infinity,
    run: async (batch) => {
      await untilQuiet()
      await copies.append(batch, now())
      return batch.map(() => ({ status: 'fulfilled', value: undefined }))
    },
  })
  return async (event) => {
    await append(copyOf(event))
  }
}
