import { userPath } from '../read-arguments.ts'
import { runServiceScript } from '../service-script.ts'
import { type Command, runCommand } from '@gateway-infra/system/command'

/** Removes customers from orders, in the running stack or in `MONGO_URL` (docs/operations/customer-data.md). */
const purgeCustomers: Command = (context, [kind = '', ...args]) => {
  // The script runs in another directory than the user's.
  const named = kind === 'list' ? args.map((file) => userPath(context.env, file)) : args
  return runServiceScript(
    context,
    'order-api',
    'purge-customers.ts',
    [kind, ...named].filter((arg) => arg !== ''),
  )
}

await runCommand(purgeCustomers)
