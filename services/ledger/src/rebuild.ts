/**
 * `rebuild.ts [--replace]`: reads every payment of payment-status and stores it, while the service runs. With `--replace` it
 * removes what is stored first (docs/operations/backup-and-restore.md).
 */
import { withConfig } from '@gateway/service-kit'
import { connectDatabase } from '@gateway/service-kit/mongo'
import { createFetchPage, makeRebuildPayments, makeStoreCopies } from './copying/index.ts'
import { readRebuildConfig } from './config.ts'
import { makeHashPayer, mongoPayments, mongoRefunds } from './lists/index.ts'
import { composeEntries } from './reconciliation/index.ts'

const args = process.argv.slice(2)
const PROGRESS_EVERY = 50_000

if (args.length > 1 || (args.length === 1 && args[0] !== '--replace')) {
  process.stderr.write('usage: npm run ledger:rebuild [-- --replace], or in a container: node src/rebuild.ts [--replace]\n')
  process.exitCode = 2
} else {
  await withConfig('ledger', readRebuildConfig, async (config, log) => {
    const { mongoUrl: url, database: name, paymentStatusUrl, serviceToken, payerHashKey } = config
    const database = await connectDatabase({ url, name, log })
    const say = (line: string): unknown => process.stdout.write(`ledger  ${line}\n`)
    try {
      const [payments, refunds] = [mongoPayments(database.connection), mongoRefunds(database.connection)]
      const { stores, storeEntries } = composeEntries({
        connection: database.connection,
        onCollision: (transactions) => log.error('alert', { kind: 'reference_collision', transactions }),
        now: () => new Date(),
      })
      const rebuild = makeRebuildPayments({
        ...{ stores, payments, refunds },
        storeCopies: makeStoreCopies({ storeEntries, payments, refunds, hashPayer: makeHashPayer(payerHashKey) }),
        fetchPage: createFetchPage({ url: paymentStatusUrl, serviceToken }),
      })
      let said = 0
      const onProgress = (count: number): void => {
        if (count - said < PROGRESS_EVERY) return
        said = count
        say(`${count} payments so far`)
      }
      const onUnreadable = (id: string): void => {
        process.exitCode = 1
        say(`left out: payment ${id} cannot be read`)
      }
      const count = await rebuild({ replace: args.length === 1, onProgress, onUnreadable })
      say(`done: ${count} payments read from payment-status`)
    } finally {
      await database.close()
    }
  })
  // Idle connections would keep the process running for half a minute.
  process.exit()
}
