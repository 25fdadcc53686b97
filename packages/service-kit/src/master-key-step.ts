import type { Connection } from 'mongoose'
import { readDatabase, readLogLevel, readMasterKeys, type DatabaseConfig } from './common-config.ts'
import type { EnvReader } from './config-reader.ts'
import { connectDatabase } from './database.ts'
import { withConfig } from './lifecycle.ts'
import { reportMasterKeys } from './master-key-report.ts'
import { reseal, surveySeals, type SealedPlace } from './reseal.ts'
import { createSealer, type MasterKeys } from './seal.ts'

interface MasterKeyStep extends DatabaseConfig {
  readonly logLevel: string
  readonly masterKeys: MasterKeys
}

/** `ENVIRONMENT`, `MONGO_URL`, `DATABASE`, `LOG_LEVEL` and `MASTER_KEYS`. */
function readMasterKeyStep(env: EnvReader, defaultName: string): MasterKeyStep {
  // First: it decides what else is refused.
  env.environment()
  return { ...readDatabase(env, defaultName), logLevel: readLogLevel(env), masterKeys: readMasterKeys(env) }
}

/**
 * A service's `master-keys.ts`: `status` says how much is sealed under which key, `reseal` seals all of it under the first.
 * Both exit with 0 only when no other key is needed any more (docs/operations/master-keys.md).
 */
export async function runMasterKeyStep(options: {
  readonly service: string
  readonly databaseName: string
  readonly args: readonly string[]
  readonly placesOf: (connection: Connection) => readonly SealedPlace[]
  /** Leaves a trace of what an operator begins and has done. */
  readonly audit?: (connection: Connection, outcome: 'asked' | 'done') => Promise<void>
}): Promise<void> {
  const { service, databaseName, args, placesOf, audit } = options
  const [action] = args
  if (args.length !== 1 || (action !== 'status' && action !== 'reseal')) {
    process.stderr.write('usage: master-keys.ts status|reseal\n')
    process.exitCode = 2
    return
  }
  const read = (env: EnvReader): MasterKeyStep => readMasterKeyStep(env, databaseName)
  await withConfig(service, read, async ({ mongoUrl: url, database: name, masterKeys: keys }, log) => {
    const database = await connectDatabase({ url, name, log })
    const say = (line: string): unknown => process.stdout.write(`${service}  ${line}\n`)
    try {
      const places = placesOf(database.connection)
      const sealer = createSealer(keys)
      let surveys = action === 'status' ? await surveySeals(places, sealer) : []
      if (action === 'reseal') {
        await audit?.(database.connection, 'asked')
        const result = await reseal(places, keys, sealer)
        surveys = [...result.surveys]
        await audit?.(database.connection, 'done')
        say(`${result.replaced} sealed anew`)
      }
      const { lines, done } = reportMasterKeys(surveys, [...keys.keys()])
      for (const line of lines) say(line)
      process.exitCode = done ? 0 : 1
    } finally {
      await database.close()
    }
  })
}
