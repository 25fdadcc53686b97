import { mongo } from 'mongoose'
import { ServerError, Unsupported } from './errors.ts'
import { isDoc, type Doc } from './values.ts'

/** What every command may have beside its own fields. */
const COMMON = new Set(['$db', 'lsid', '$clusterTime', '$readPreference', 'readConcern', 'writeConcern', 'maxTimeMS', 'comment'])

/** A command as it arrives, with access to its fields by type. */
export class Command {
  readonly name: string
  readonly body: Doc
  readonly database: string

  constructor(body: Doc) {
    const [name = ''] = Object.keys(body)
    this.name = name
    this.body = body
    this.database = typeof body['$db'] === 'string' ? body['$db'] : 'admin'
  }

  /** Throws when the command has a field that the model would ignore. */
  allowOnly(...fields: readonly string[]): void {
    const unknown = Object.keys(this.body).find((field) => field !== this.name && !COMMON.has(field) && !fields.includes(field))
    if (unknown !== undefined) throw new Unsupported(`the field ${unknown} of the command ${this.name}`)
  }

  /** `<database>.<collection>`, of the collection that the command's first field names. */
  get namespace(): string {
    return this.namespaceOf(this.body[this.name])
  }

  namespaceOf(collection: unknown): string {
    if (typeof collection !== 'string') throw new ServerError(2, 'collection name has invalid type')
    return `${this.database}.${collection}`
  }

  number(field: string): number | undefined {
    const value = this.body[field]
    if (value !== undefined && typeof value !== 'number') throw new ServerError(14, `BSON field '${field}' is the wrong type`)
    return value
  }

  doc(field: string): Doc {
    const value = this.body[field] ?? {}
    if (!isDoc(value)) throw new ServerError(14, `BSON field '${field}' is the wrong type`)
    return value
  }

  docs(field: string): readonly Doc[] {
    const value = this.body[field]
    if (!Array.isArray(value) || !value.every(isDoc)) throw new ServerError(14, `BSON field '${field}' is the wrong type`)
    return value
  }

  /** The retryable write that this is, if it is one. */
  get retryable(): { readonly session: string; readonly txnNumber: number } | undefined {
    const [txnNumber, lsid] = [this.number('txnNumber'), this.body['lsid']]
    if (txnNumber === undefined) return undefined
    const id = isDoc(lsid) ? lsid['id'] : undefined
    if (!(id instanceof mongo.BSON.Binary)) throw new ServerError(72, 'Transaction numbers are only allowed with a session')
    return { session: id.toString('hex'), txnNumber }
  }

  /** True when the write is acknowledged only on a majority, which is also the default of a replica set since MongoDB 5.0. */
  get waitsForMajority(): boolean {
    const { w = 'majority', wtimeout = 0 } = this.doc('writeConcern')
    if (wtimeout !== 0) throw new Unsupported('wtimeout')
    if (w === 'majority') return true
    if (w === 0 || w === 1) return false
    throw new ServerError(79, `No write concern mode named '${String(w)}' found in replica set configuration`)
  }

  /** True when documents are read as of the majority point; `local` is the default. */
  get readsCommitted(): boolean {
    const { level = 'local', ...others } = this.doc('readConcern')
    if (Object.keys(others).length > 0) throw new Unsupported(`the read concern ${Object.keys(others).join()}`)
    if (level === 'majority') return true
    if (level === 'local' || level === 'available') return false
    throw new Unsupported(`the read concern ${String(level)}`)
  }
}
