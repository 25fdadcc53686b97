import type { OperationId } from '../operations/operations.ts'
import { exampleOf, type Entry } from './entries.ts'

/** By operation: the call of the SDK, with EXAMPLE for the example of its body, and the command of the CLI. */
const PROGRAMS: Readonly<Partial<Record<OperationId, { readonly sdk?: string; readonly cli?: string }>>> = {
  createToken: { sdk: 'new Gateway({ baseUrl, credentials }) // makes its tokens itself', cli: 'pgw login' },
  createOrder: {
    sdk: 'const created = await gateway.orders.create(EXAMPLE)',
    cli: 'pgw orders create --order ORD-1001 --amount 499.00',
  },
  listOrders: {
    sdk: "for await (const { order_id, status } of gateway.orders.list({ status: 'Pending' })) console.log(order_id, status)",
    cli: 'pgw orders list --status Pending',
  },
  readDailyReport: {
    sdk: "for await (const bytes of await gateway.reports.daily('2026-11-21')) process.stdout.write(bytes)",
    cli: 'pgw reports daily 2026-11-21',
  },
  listSettlements: {
    sdk: 'for await (const { id, settled_on, net } of gateway.settlements.list()) console.log(id, settled_on, net)',
    cli: 'pgw settlements list',
  },
  listSettlementLines: {
    sdk: "for await (const { order_id, amount } of gateway.settlements.lines('SET-1')) console.log(order_id, amount)",
    cli: 'pgw settlements lines SET-1',
  },
  readTimeline: { sdk: "const { events } = await gateway.timeline('ORD-1001')", cli: 'pgw timeline ORD-1001' },
  createRefund: {
    sdk: 'const refund = await gateway.refunds.create(EXAMPLE)',
    cli: 'pgw refunds create --order ORD-1001 --refund RF-1 --amount 200.00',
  },
  findRefund: {
    sdk: "const refund = await gateway.refunds.find('RF-1', { order_id: 'ORD-1001' })",
    cli: 'pgw refunds get RF-1 --order ORD-1001',
  },
  listDowntimes: {
    sdk: 'for (const { method, instrument, severity } of await gateway.downtimes.list()) console.log(method, instrument, severity)',
    cli: 'pgw downtimes',
  },
  listRefunds: {
    sdk: "for await (const { refund_id, status } of gateway.refunds.list({ order_id: 'ORD-1001' })) console.log(refund_id, status)",
    cli: 'pgw refunds list --order ORD-1001',
  },
  searchOrder: { sdk: "const order = await gateway.orders.find('ORD-1001')", cli: 'pgw orders get ORD-1001' },
  registerEndpoint: {
    sdk: "const { signing_secret } = await gateway.endpoint.register('https://merchant.example/webhooks')",
    cli: 'pgw endpoint register https://merchant.example/webhooks',
  },
  readEndpoint: { sdk: 'await gateway.endpoint.get()', cli: 'pgw endpoint get' },
  enableEndpoint: { sdk: 'await gateway.endpoint.enable()', cli: 'pgw endpoint enable' },
  rotateSecret: { sdk: 'await gateway.endpoint.rotateSecret()', cli: 'pgw endpoint rotate-secret' },
  registerRefundEndpoint: {
    sdk: "const { signing_secret } = await gateway.refundEndpoint.register('https://merchant.example/refund-webhooks')",
    cli: 'pgw refund-endpoint register https://merchant.example/refund-webhooks',
  },
  readRefundEndpoint: { sdk: 'await gateway.refundEndpoint.get()', cli: 'pgw refund-endpoint get' },
  enableRefundEndpoint: { sdk: 'await gateway.refundEndpoint.enable()', cli: 'pgw refund-endpoint enable' },
  rotateRefundSecret: { sdk: 'await gateway.refundEndpoint.rotateSecret()', cli: 'pgw refund-endpoint rotate-secret' },
  sendTestEvent: { sdk: 'await gateway.endpoint.test()', cli: 'pgw endpoint test' },
  listDeliveries: {
    sdk: 'for await (const delivery of gateway.deliveries.list({})) console.log(delivery.status)',
    cli: 'pgw deliveries list',
  },
  recoverDeliveries: {
    sdk: 'await gateway.deliveries.recover(EXAMPLE)',
    cli: 'pgw deliveries recover --since 2026-11-21T00:00:00Z',
  },
  resendDelivery: { sdk: 'await gateway.deliveries.resend(deliveryId)', cli: 'pgw deliveries resend DELIVERY_ID' },
  listenToWebhooks: { cli: 'pgw listen --forward-to localhost:3000/hook' },
  simulate: {
    sdk: 'await gateway.sandbox.simulate(EXAMPLE)',
    cli: 'pgw trigger success --order ORD-1001',
  },
}

/** What an operation's address needs beside its path. */
export const QUERIES: Readonly<Partial<Record<OperationId, string>>> = { readDailyReport: '?date=2026-11-21' }

/** How to call an operation in three ways. The shell variables `BASE_URL`, `TOKEN` and `ID` are the reader's. */
export function samplesOf(entry: Entry) {
  const { sdk, cli } = PROGRAMS[entry.operationId] ?? {}
  const example = JSON.stringify(exampleOf(entry), null, 2)
  return { curl: curlOf(entry), sdk: sdk?.replace('EXAMPLE', () => example), cli }
}

function curlOf(entry: Entry): string {
  const { method, path, security, operationId } = entry
  const example = exampleOf(entry)
  const url = `"$BASE_URL${path.replace(/\{\w+\}/gu, '$ID')}${QUERIES[operationId] ?? ''}"`
  const lines = [
    `curl${operationId === 'listenToWebhooks' ? ' --no-buffer' : ''}${method === 'GET' ? '' : ` -X ${method}`} ${url}`,
    ...(security === undefined ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(example ? ['-H "Content-Type: application/json"', `-d '${JSON.stringify(example)}'`] : []),
  ]
  return lines.join(' \\\n  ')
}
