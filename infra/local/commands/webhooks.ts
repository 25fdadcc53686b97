import { join } from 'node:path'
import { type Command, runCommand, runThrough } from '@gateway-infra/system/command'
import { ROOT } from '@gateway-infra/system/paths'
import { receive } from '../receive-webhooks.ts'
import { readStack } from '../stack-file.ts'

const OPERATE = join(ROOT, 'services/webhook-dispatcher/scripts/operate.ts')

/** Without arguments a webhook receiver; else the dispatcher's commands for operators, on the running stack or a named deployment. */
const webhooks: Command = (context, args) => {
  if (args.length === 0) return receive(context, [])
  const { env, paths, stopRequested } = context
  const operator = env['WEBHOOK_OPERATOR_URL'] ? undefined : readStack(paths.stateDir)?.webhook_operator
  const ofStack = operator && { WEBHOOK_OPERATOR_URL: operator.url, OPERATOR_TOKEN: operator.token }
  return runThrough(process.execPath, [OPERATE, ...args], { cwd: ROOT, env: { ...env, ...ofStack }, stopRequested })
}

await runCommand(webhooks)
