/** The command that purges customers now: at a request, or those past the retention (docs/operations/customer-data.md). */
import { readFileSync } from 'node:fs'
import { readIndexStep, withConfig, type EnvReader } from '@gateway/service-kit'
import { connectDatabase } from '@gateway/service-kit/mongo'
import { DATABASE_NAME, readGivenRetentionMs } from './config.ts'
import { readPurgeCommand, USAGE, type PurgeCommand } from './purge-command.ts'
import { mongoCustomers, type Customers } from './persistence/customers.ts'
import { makePurgeDueCustomers } from './use-cases/purge-customers.ts'

const now = (): Date => new Date()
const PAGE_SIZE = 500
const say = (line: string): unknown => process.stdout.write(`order-api  ${line}\n`)

const command = readPurgeCommand(process.argv.slice(2), (file) => readFileSync(file, 'utf8'))
if ('problem' in command) {
  process.stderr.write(`${command.problem}\n${USAGE}\n`)
  process.exitCode = 2
} else {
  await withConfig(
    'order-api',
    (env) => readConfig(env, command),
    async ({ mongoUrl: url, database: name, retentionMs }, log) => {
      const database = await connectDatabase({ url, name, log })
      try {
        process.exitCode = await run(command, mongoCustomers(database.connection), retentionMs)
      } finally {
        await database.close()
      }
    },
  )
}

/** `ENVIRONMENT`, `MONGO_URL`, `DATABASE`, `LOG_LEVEL`; and `CUSTOMER_RETENTION_DAYS`, which only `due` needs. */
function readConfig(env: EnvReader, { kind }: PurgeCommand) {
  return { ...readIndexStep(env, DATABASE_NAME), retentionMs: kind === 'due' ? readGivenRetentionMs(env) : Infinity }
}

/** Resolves to the exit code: 1 when a named order does not exist. Every purge is safe to repeat. */
async function run(asked: PurgeCommand, customers: Customers, retentionMs: number): Promise<number> {
  switch (asked.kind) {
    case 'orders': {
      let exitCode = 0
      for (const { merchantId, orderId } of asked.orders) {
        const step = await customers.purgeOrder(merchantId, orderId, now())
        if (!step) exitCode = 1
        const result = step?.purged === 1 ? 'purged' : 'purged before'
        say(`${merchantId} ${orderId}  ${step ? result : 'is no order of this merchant'}`)
      }
      return exitCode
    }
    case 'merchant': {
      const { merchantId, before } = asked
      const count = await purgeMerchant(customers, merchantId, before ?? now())
      say(`${merchantId}  ${count} purged; that was all${before ? ` created before ${before.toISOString()}` : ''}`)
      return 0
    }
    case 'due': {
      if (asked.fromStart) await customers.forgetProgress()
      say(`${await purgeDue(customers, retentionMs)} purged that were past the retention`)
      return 0
    }
  }
}

async function purgeMerchant(customers: Customers, merchantId: string, before: Date): Promise<number> {
  let [purged, after] = [0, undefined as string | undefined]
  do {
    const step = await customers.purgeMerchant(merchantId, { after, limit: PAGE_SIZE, before }, now())
    purged += step.purged
    after = step.next
    say(`${merchantId}  ${purged} purged`)
  } while (after !== undefined)
  return purged
}

async function purgeDue(customers: Customers, retentionMs: number): Promise<number> {
  let count = 0
  const observer = { purged: (purged: number): unknown => (count += purged), upTo: () => undefined }
  const step = makePurgeDueCustomers({ customers, retentionMs, observer, now })
  while (await step());
  return count
}
