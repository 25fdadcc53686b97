import { runServiceScript } from '../service-script.ts'
import { UserError } from '@gateway-infra/system/user-error'
import { parseInstantOrAge } from '@gateway/contracts'
import { type Command, runCommand } from '@gateway-infra/system/command'

/** Publishes events since an instant again, of the running stack or of `MONGO_URL` (docs/operations/backup-and-restore.md). */
const republish: Command = async (context, args) => {
  const since = args.length === 1 ? parseInstantOrAge(args[0] ?? '', new Date())?.toISOString() : undefined
  if (since === undefined) throw new UserError('npm run republish -- <time such as 2026-11-21T10:00:00Z, or 30m>')
  const codes: number[] = []
  for (const service of ['order-api', 'payment-status'] as const)
    codes.push(await runServiceScript(context, service, 'republish.ts', [since]))
  return Math.max(...codes)
}

await runCommand(republish)
