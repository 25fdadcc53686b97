import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { formatSigningSecret } from '@gateway/contracts'
import { sign } from '@gateway/sdk'

const secret = formatSigningSecret(Buffer.alloc(32, 9))
const body = JSON.stringify({ txnid: 'T1', merchantTxnId: 'ORD-1', status: 'Success', amount: '499.00' })

/** A shop that has the webhook on its standard input. */
function startShop(store: string, file: string, { aheadMs = 0, mode = 'fulfil' }, webhook: object) {
  const program = join(import.meta.dirname, 'killed-shop.ts')
  const env = { ...process.env, NODE_OPTIONS: '' }
  const shop = spawn(process.execPath, [program, store, file, String(aheadMs), mode], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  shop.stdin.end(JSON.stringify(webhook))
  return shop
}

function stateIn(file: string): unknown {
  const db = new DatabaseSync(file)
  try {
    return { ...db.prepare('select runs, fulfilled from orders').get() }
  } finally {
    db.close()
  }
}

// Proves: sdk/killed-shop-fulfils-once
test.each([
  ['sql', [500, 200, 200], 1],
  // It ends with its process, so each of the three processes runs the handler.
  ['memory', [200, 200, 200], 3],
])(
  'a shop with the store %s that is killed between claim and fulfilment: the order is fulfilled once afterwards',
  async (store, statuses, runs) => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'killed-shop-'))
    const file = join(folder.path, 'shop.db')
    const webhook = { body, secret, headers: { ...(await sign(body, secret, { id: 'evt_3' })), 'webhook-sequence': '3' } }
    const shop = startShop(store, file, { mode: 'hang' }, webhook)
    const [printed] = (await once(shop.stdout, 'data')) as [Buffer]
    expect(printed.toString()).toBe('claimed\n')
    shop.kill('SIGKILL')
    await once(shop, 'close')
    expect(stateIn(file)).toEqual({ runs: 0, fulfilled: 0 })

    const answered: number[] = []
    for (const aheadMs of [1000, 61_000, 62_000]) {
      const again = startShop(store, file, { aheadMs }, webhook)
      const [status] = (await once(again.stdout, 'data')) as [Buffer]
      answered.push(Number(status.toString()))
      await once(again, 'close')
    }
    expect(answered).toEqual(statuses)
    expect(stateIn(file)).toEqual({ runs, fulfilled: 1 })
  },
)
