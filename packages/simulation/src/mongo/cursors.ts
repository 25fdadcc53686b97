import { mongo } from 'mongoose'
import { ServerError } from './errors.ts'
import type { Doc } from './values.ts'

/** Documents in the first batch when the client does not say how many. */
const FIRST_BATCH = 101

/** Open cursors of one member. What a cursor returns is fixed when it is opened, which the real server allows and does not promise. */
export class Cursors {
  readonly #open = new Map<number, readonly Doc[]>()
  #lastId = 0

  open(ns: string, documents: readonly Doc[], batchSize: number | undefined, single: boolean): Record<string, unknown> {
    const firstBatch = documents.slice(0, batchSize ?? FIRST_BATCH)
    const left = documents.slice(firstBatch.length)
    const id = single || left.length === 0 ? 0 : (this.#lastId += 1)
    if (id > 0) this.#open.set(id, left)
    return { cursor: { firstBatch, id: mongo.BSON.Long.fromNumber(id), ns }, ok: 1 }
  }

  more(id: number, ns: string, batchSize = Infinity): Record<string, unknown> {
    const documents = this.#open.get(id)
    if (!documents) throw new ServerError(43, `cursor id ${id} not found`)
    const nextBatch = documents.slice(0, batchSize)
    const left = documents.slice(nextBatch.length)
    if (left.length > 0) this.#open.set(id, left)
    else this.#open.delete(id)
    return { cursor: { nextBatch, id: mongo.BSON.Long.fromNumber(left.length > 0 ? id : 0), ns }, ok: 1 }
  }

  kill(ids: readonly unknown[]): { readonly killed: unknown[]; readonly missing: unknown[] } {
    const killed = ids.filter((id) => this.#open.delete(Number(id)))
    return { killed, missing: ids.filter((id) => !killed.includes(id)) }
  }

  clear(): void {
    this.#open.clear()
  }
}
