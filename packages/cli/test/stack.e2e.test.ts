/** The packed `pgw` against the real gateway, as `npm start` runs it. */
import { sharedStack } from '@gateway-tools/e2e/support/running-stack'
import { packCli, type Packed } from './packed.ts'

let pgw: Packed
let cwd: string

beforeAll(async () => {
  pgw = await packCli()
  cwd = sharedStack().stateDir
})

afterAll(() => pgw.remove())

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { exitCode, stdout, stderr } = await pgw.run([...args, '--json'], { cwd })
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
  return JSON.parse(stdout) as Record<string, unknown>
}

// Proves: cli/works-against-the-real-gateway
test('login --local, whoami, an order paid by UPI, a triggered failure, its deliveries', async () => {
  const login = await pgw.run(['login', '--local', '--json'], { cwd, env: { STACK_DIR: cwd } })
  expect(login).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await json('whoami')).toMatchObject({ accepted: true, environment: 'sandbox', key_id: { from: 'profile' } })

  const { order, created } = (await json('orders', 'create', '--amount', '12.50')) as {
    order: { order_id: string }
    created: boolean
  }
  expect(created).toBe(true)
  const { order_id: orderId } = order
  expect(await json('pay', orderId, '--vpa', 'success@sandbox')).toMatchObject({ order_id: orderId })
  expect(await json('orders', 'wait', orderId, '--timeout', '30s')).toMatchObject({
    transaction: { status: 'Success', amount: '12.50' },
  })
  expect((await pgw.run(['pay', orderId], { cwd })).exitCode).toBe(1)

  const failed = await json('trigger', 'failure', '--amount', '3.00', '--wait', '--timeout', '30s')
  expect(failed).toMatchObject({ transaction: { status: 'Failed', failure_reason: 'declined', amount: '3.00' } })
  expect((await pgw.run(['trigger', 'success', '--order', orderId], { cwd })).exitCode).toBe(4)
  expect((await pgw.run(['orders', 'get', 'NO-SUCH-ORDER'], { cwd })).exitCode).toBe(1)
  expect((await pgw.run(['orders', 'create', '--amount', 'many'], { cwd })).exitCode).toBe(4)
  const listed = await pgw.run(['deliveries', 'list', '--order', orderId, '--json'], { cwd })
  expect(listed.exitCode).toBe(0)
  expect(await json('timeline', orderId)).toMatchObject({
    events: expect.arrayContaining([expect.objectContaining({ kind: 'order.created' })]),
  })
  const refund = await json('refunds', 'create', '--order', orderId, '--refund', 'RF-1', '--amount', '1.00')
  expect(refund).toMatchObject({ refund_id: 'RF-1', amount: '1.00' })
  expect(await json('refunds', 'get', String(refund['id']))).toMatchObject({ refund_id: 'RF-1' })
  expect(await json('endpoint', 'get')).toMatchObject({ disabled: null })
})
