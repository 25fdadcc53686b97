import mongoose, { type Connection } from 'mongoose'

const usesSchema = mongoose.Schema.create(
  { _id: { type: String, required: true }, at: { type: Date, required: true } },
  { collection: 'credential_uses', strict: 'throw', strictQuery: 'throw', versionKey: false },
)

/** When each credential was last used. Apart from the merchants' documents, which only change with the credentials. */
export interface CredentialUses {
  lastUses(keyIds: readonly string[]): Promise<ReadonlyMap<string, Date>>
  /** A use that is older than the stored one changes nothing. */
  record(uses: ReadonlyMap<string, Date>): Promise<void>
}

export function mongoCredentialUses(connection: Connection): CredentialUses {
  const model = connection.model('CredentialUse', usesSchema)
  return {
    async lastUses(keyIds) {
      const found = await model.find({ _id: { $in: keyIds } }).lean()
      return new Map(found.map(({ _id, at }) => [_id, at]))
    },
    async record(uses) {
      const updates = [...uses].map(([_id, at]) => ({
        updateOne: { filter: { _id }, update: { $max: { at } }, upsert: true },
      }))
      await model.bulkWrite(updates, { ordered: false })
    },
  }
}
