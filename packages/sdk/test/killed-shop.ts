/**
 * A shop as a process of its own, which `killed-shop.int.test.ts` kills. It handles the webhook on standard input and prints the
 * status. Arguments: the kind of its store, its database, how far its clock is ahead in milliseconds, and `hang` or `fulfil`.
 */
import { text } from 'node:stream/consumers'
import { DatabaseSync } from 'node:sqlite'
import { createReceiver, Gateway, memoryStore, type ReceiverStore } from '@gateway/sdk'

interface Given {
  readonly body: string
  readonly headers: Record<string, string>
  readonly secret: string
}

const [kind = '', file = '', aheadMs = '0', mode = ''] = process.argv.slice(2)
const db = new DatabaseSync(file)
db.exec(`create table if not exists orders (id text primary key, runs integer not null, fulfilled integer not null);
  create table if not exists webhooks (key text primary key, value text not null);
  insert or ignore into orders values ('ORD-1', 0, 0)`)

/** As the documentation shows it, in the dialect of SQLite. Nothing is ever forgotten. */
const sqlStore: ReceiverStore = {
  get: (key) => Promise.resolve(db.prepare('select value from webhooks where key = ?').get(key)?.['value']?.toString()),
  replace(key, seen, value) {
    const { changes } =
      seen === undefined
        ? db.prepare('insert into webhooks values (?, ?) on conflict do nothing').run(key, value)
        : db.prepare('update webhooks set value = ? where key = ? and value = ?').run(value, key, seen)
    return Promise.resolve(changes === 1)
  },
}

const order = { order: { order_id: 'ORD-1' }, transaction: { id: 'T1', status: 'Success', sequence: 3 } }
const gateway = new Gateway({
  baseUrl: 'https://gateway.example',
  credentials: { key_id: 'key_sandbox_1', key_secret: Buffer.alloc(32, 1).toString('base64url') },
  fetch: () => Promise.resolve(Response.json({ data: order, checkout: null })),
})

const { body, headers, secret } = JSON.parse(await text(process.stdin)) as Given
const receiver = createReceiver({
  gateway,
  secrets: secret,
  store: kind === 'memory' ? memoryStore() : sqlStore,
  now: () => new Date(Date.now() + Number(aheadMs)),
  onError: () => undefined,
  async onFinal() {
    if (mode === 'hang') {
      process.stdout.write('claimed\n')
      await new Promise(() => undefined)
    }
    db.prepare(`update orders set runs = runs + 1 where id = 'ORD-1'`).run()
    // Repeatable: the second time it does nothing.
    db.prepare(`update orders set fulfilled = fulfilled + 1 where id = 'ORD-1' and fulfilled = 0`).run()
  },
})
process.stdout.write(`${await receiver.handle(body, headers)}\n`)
