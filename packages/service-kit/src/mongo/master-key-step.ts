import type { Connection } from 'mongoose'
import { readDatabase, readLogLevel, readMasterKeys, type DatabaseConfig } from '../config/common.ts'
import type { EnvReader } from '../config/reader.ts'
import { connectDatabase } from './database.ts'
import { withConfig } from '../process/lifecycle.ts'
import type { Log } from '../logging/logger.ts'
import { reportMasterKeys } from './master-key-report.ts'
import { reseal, surveySeals, type SealedPlace } from './reseal.ts'
import { createSealer, type MasterKeys } from '../secrets/seal.ts'

interface MasterKeyStep extends DatabaseConfig {
  readonly logLevel: string
  readonly masterKeys: MasterKeys
}

/**
 * `ENVIRONMENT`, `MONGO_URL`, `DATABASE`, `LOG_LEVEL` and `MASTER_KEYS`. Refused when the named key is not its first: the
 * replicas then have other keys and could open nothing that was resealed.
 */
function readMasterKeyStep(env: EnvReader, defaultName: string, sealsId: string | undefined): MasterKeyStep {
  // Read first: the environment decides which other values are refused.
  env.environment()
  const step = { ...readDatabase(env, defaultName), logLevel: readLogLevel(env), masterKeys: readMasterKeys(env) }
  const [first] = step.masterKeys.keys()
  if (sealsId !== undefined && first !== undefined && sealsId !== first)
    env.reject(`MASTER_KEYS seals under ${first} here, not under ${sealsId}`)
  return step
}

/** Returns `undefined` for any other command. */
function readCommand(args: readonly string[]): { readonly resealUnder: string | undefined } | undefined {
  const [action, keyId] = args
  if (action === 'status' && args.length === 1) return { resealUnder: undefined }
  return action === 'reseal' && args.length === 2 && keyId !== undefined ? { resealUnder: keyId } : undefined
}

/**
 * A service's `master-keys.ts`: `status` counts the secrets sealed under each key, `reseal <key id>` seals all of them under the
 * first key, which must be the named one. Both exit with 0 only when no other key is needed (docs/operations/master-keys.md).
 */
export async function runMasterKeyStep(options: {
  readonly service: string
  readonly databaseName: string
  readonly args: readonly string[]
  readonly placesOf: (connection: Connection) => readonly SealedPlace[]
  /** Writes the audit log when a reseal is asked for and when it is done. */
  readonly audit: (outcome: 'asked' | 'done', to: { readonly connection: Connection; readonly log: Log }) => Promise<void>
}): Promise<void> {
  const { service, databaseName, args, placesOf, audit } = options
  const command = readCommand(args)
  if (!command) {
    process.stderr.write('usage: master-keys.ts status\n       master-keys.ts reseal <id of the key that seals>\n')
    process.exitCode = 2
    return
  }
  const read = (env: EnvReader): MasterKeyStep => readMasterKeyStep(env, databaseName, command.resealUnder)
  await withConfig(service, read, async ({ mongoUrl: url, database: name, masterKeys: keys }, log) => {
    const database = await connectDatabase({ url, name, log })
    const say = (line: string): unknown => process.stdout.write(`${service}  ${line}\n`)
    try {
      const places = placesOf(database.connection)
      const sealer = createSealer(keys)
      const { connection } = database
      const resealAll = async () => {
        await audit('asked', { connection, log })
        const { surveys, replaced } = await reseal(places, keys, sealer)
        await audit('done', { connection, log })
        say(`${replaced} sealed anew`)
        return surveys
      }
      const surveys = command.resealUnder === undefined ? await surveySeals(places, sealer) : await resealAll()
      const { lines, done } = reportMasterKeys(surveys, [...keys.keys()])
      for (const line of lines) say(line)
      process.exitCode = done ? 0 : 1
    } finally {
      await database.close()
    }
  })
}
