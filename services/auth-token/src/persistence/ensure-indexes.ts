import { describeError, isDatabaseAway, type Log } from '@gateway/service-kit'

interface Indexed {
  createIndexes(): Promise<unknown>
}

const RETRY_MS = 500

/** Builds what is missing, again and again while the database is away; any other failure is thrown. */
export async function ensureIndexes(models: readonly Indexed[], log: Log): Promise<void> {
  for (const model of models) {
    while (!(await build(model, log))) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

async function build(model: Indexed, log: Log): Promise<boolean> {
  try {
    await model.createIndexes()
    return true
  } catch (error) {
    if (!isDatabaseAway(error)) throw error
    log.warn('the database is away, indexes wait', { error: describeError(error) })
    return false
  }
}
