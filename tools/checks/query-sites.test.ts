import { querySites, sitesIn } from './query-sites.ts'

test('calls that send queries are found at the line of the method', () => {
  const text = [
    'const one = await orders',
    '  .find({ _id })',
    '  .limit(1)',
    'const two = names.find((name) => name === "x")',
    'await collection.updateMany({ _id }, change)',
    'pagesById(100, (after) => orders.find(afterId(after)))',
    'queue.shift()',
  ].join('\n')
  expect(sitesIn(text)).toEqual([2, 5, 6])
})

test('every service with a database has queries', () => {
  const folders = new Set(querySites().map((site) => site.split('/', 2).join('/')))
  const services = ['auth-token', 'ledger', 'order-api', 'payment-status', 'webhook-dispatcher']
  for (const service of services) expect(folders).toContain(`services/${service}`)
  expect(folders).toContain('packages/outbox')
})
