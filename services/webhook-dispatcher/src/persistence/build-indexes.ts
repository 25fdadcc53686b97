import type { Connection } from 'mongoose'
import { describeError, isDatabaseAway, type Log } from '@gateway/service-kit'
import { deliveryModel } from './delivery-model.ts'
import { endpointModel } from './endpoint-model.ts'

const RETRY_MS = 500

/** Builds what is missing, again and again while the database is away; any other failure is thrown. */
export async function buildIndexes(connection: Connection, log: Log): Promise<void> {
  for (const model of [endpointModel(connection), deliveryModel(connection)]) {
    for (;;) {
      try {
        await model.createIndexes()
        break
      } catch (error) {
        if (!isDatabaseAway(error)) throw error
        log.warn('the database is away, indexes wait', { error: describeError(error) })
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }
}
