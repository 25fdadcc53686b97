import { runServiceScript } from '../service-script.ts'
import { UserError } from '../user-error.ts'
import { readInstant } from '../webhooks/options.ts'
import type { Command } from './context.ts'

/** Publishes the events since an instant once more, of the running stack or of `MONGO_URL` (docs/operations/backup-and-restore.md). */
export const republish: Command = async (context, args) => {
  const since = args.length === 1 ? readInstant('since', args[0], new Date()) : undefined
  if (since === undefined) throw new UserError('npm run republish -- <time such as 2026-11-21T10:00:00Z, or 30m>')
  const codes: number[] = []
  for (const service of ['order-api', 'payment-status'] as const)
    codes.push(await runServiceScript(context, service, 'republish.ts', [since]))
  return Math.max(...codes)
}
