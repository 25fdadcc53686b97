import type { Connection } from 'mongoose'
import { driverCollection } from '@gateway/service-kit/mongo'

/** A minted UPI link. `_id` is the `tr`. */
interface IntentDocument {
  readonly _id: string
  /** Digest of the request, which shows whether a later one is a repeat. */
  readonly fingerprint: string
  readonly intent: string
}

/** Stores a link unless there is one for its `tr`; resolves to the link that is stored. */
export type KeepIntent = (minted: IntentDocument) => Promise<IntentDocument>

export function mongoKeepIntent(connection: Connection): KeepIntent {
  const collection = driverCollection<IntentDocument>(connection, 'intents')
  return async ({ _id, fingerprint, intent }) => {
    const update = { $setOnInsert: { fingerprint, intent } }
    const stored = await collection.findOneAndUpdate({ _id }, update, { upsert: true, returnDocument: 'after' })
    return stored ?? { _id, fingerprint, intent }
  }
}
