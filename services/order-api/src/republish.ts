/** `republish.ts <since>`: publishes `order.created` again for every order created since then. */
import { runRepublishStep } from '@gateway/service-kit/mongo'
import { DATABASE_NAME } from './config.ts'
import { republishOrders } from './persistence/republish.ts'

await runRepublishStep({
  service: 'order-api',
  databaseName: DATABASE_NAME,
  args: process.argv.slice(2),
  republish: republishOrders,
})
