/**
 * `npm run test:connector -- [<url>] [part of a check's name]`: checks the connector at this URL, or without one the simulator of a
 * stack that is started for it. The suite is `packages/connector-contract`.
 */
import { join } from 'node:path'
import { ensureSecrets } from '@gateway-infra/local/secrets'
import { ROOT } from '@gateway-infra/system/paths'
import { runCommand, runThrough } from '@gateway-infra/system/command'
import { withMeasuredStack } from '@gateway-tools/load/measured-stack'

const SUITE = join(ROOT, 'packages/connector-contract/src/main.ts')

await runCommand(async (context, args) => {
  const check = (env: NodeJS.ProcessEnv, given: readonly string[]): Promise<number> =>
    runThrough(process.execPath, [SUITE, ...given], { ...context, env })
  if (/^https?:/u.test(args[0] ?? '')) return check(context.env, args)

  const { CALLBACK_PORT = '8099' } = context.env
  const CALLBACK_URL = `http://127.0.0.1:${CALLBACK_PORT}/network/v1/callbacks`
  return withMeasuredStack(context, { name: 'connector', env: { CALLBACK_URL } }, ({ running, stateDir }) => {
    const { networkApiKey: NETWORK_API_KEY, networkCallbackSecret: NETWORK_CALLBACK_SECRET } = ensureSecrets(stateDir)
    const env = { ...context.env, CALLBACK_HOST: '127.0.0.1', CALLBACK_PORT, NETWORK_API_KEY, NETWORK_CALLBACK_SECRET }
    return check(env, [running.stack.network_url, ...args])
  })
})
