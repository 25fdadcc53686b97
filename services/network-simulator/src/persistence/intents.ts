import mongoose, { type Connection } from 'mongoose'

const { Schema } = mongoose
const text = { type: String, required: true } as const
/** `_id` is the `tr`. */
const schema = new Schema(
  { _id: text, fingerprint: text, intent: text },
  { collection: 'intents', versionKey: false, strict: 'throw' },
)

export interface MintedIntent {
  /** Digest of the request, which shows whether a later one is a repeat. */
  readonly fingerprint: string
  readonly intent: string
}

/** The UPI links that were minted. */
export interface Intents {
  /** Stores a link unless there is one for this `tr`; resolves to the link that is stored. */
  keep(tr: string, minted: MintedIntent): Promise<MintedIntent>
}

export function mongoIntents(connection: Connection): Intents {
  const model = connection.model('Intent', schema)
  return {
    async keep(tr, { fingerprint, intent }) {
      const set = { $setOnInsert: { fingerprint, intent } }
      const stored = await model.findOneAndUpdate({ _id: tr }, set, { upsert: true, returnDocument: 'after' }).lean()
      return { fingerprint: stored.fingerprint, intent: stored.intent }
    },
  }
}
