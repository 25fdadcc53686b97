import type { Connection } from 'mongoose'
import { readDatabase, readLogLevel, readMasterKeys, type DatabaseConfig } from '../config/common.ts'
import type { EnvReader } from '../config/reader.ts'
import { withConfig } from '../process/lifecycle.ts'
import type { Log } from '../logging/logger.ts'
import { createSealer, type MasterKeys } from '../secrets/secrets.ts'
import { connectDatabase } from './database.ts'
import { reseal, surveySeals, type SealedPlace, type PlaceSurvey } from './reseal.ts'

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

/** The report for an operator, and whether the old keys can be removed. */
export interface MasterKeyReport {
  readonly lines: readonly string[]
  /** True when no stored secret needs another key than the first. */
  readonly done: boolean
}

/** `keyIds` in the order of `MASTER_KEYS`: the key that seals comes first. */
export function reportMasterKeys(surveys: readonly PlaceSurvey[], keyIds: readonly string[]): MasterKeyReport {
  const [currentId = '', ...oldIds] = keyIds
  const total = (keyId: string): number => surveys.reduce((sum, { counts }) => sum + (counts.get(keyId) ?? 0), 0)
  const stored = new Set(surveys.flatMap(({ counts }) => [...counts.keys()]))
  const unknownIds = [...stored].filter((keyId) => !keyIds.includes(keyId))
  const closed = surveys.flatMap(({ place, closed: ids }) => ids.map((id) => `cannot be opened: ${place} of ${id}`))
  const done = closed.length === 0 && [...stored].every((keyId) => keyId === currentId)
  return {
    lines: [
      ...surveys.map(({ place, counts }) => `${place}: ${countsOf(counts, currentId)}`),
      ...closed,
      ...unknownIds.map((keyId) => `${keyId}: ${total(keyId)} need it and it is not in MASTER_KEYS: put it back`),
      ...oldIds.map((keyId) => verdictOn(keyId, total(keyId), done)),
      ...(done && oldIds.length === 0 ? [`everything is sealed under ${currentId}, the only key`] : []),
    ],
    done,
  }
}

function countsOf(counts: ReadonlyMap<string, number>, currentId: string): string {
  if (counts.size === 0) return 'nothing'
  const sorted = [...counts].toSorted(([one], [other]) => Number(other === currentId) - Number(one === currentId))
  return sorted.map(([keyId, count]) => `${count} under ${keyId}${keyId === currentId ? ' (seals)' : ''}`).join(', ')
}

function verdictOn(keyId: string, count: number, done: boolean): string {
  if (count > 0) return `${keyId}: must stay, ${count} need it: reseal`
  if (!done) return `${keyId}: must stay until everything above is settled`
  return `${keyId}: can be removed from this service's MASTER_KEYS, once every replica seals with the new key`
}
