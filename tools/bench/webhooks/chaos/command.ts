import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { exitCodeOf } from '@gateway-infra/system/stopping'
import { withTemporaryBacking } from '@gateway-infra/local/temporary-backing'
import type { Command } from '@gateway-infra/system/context'
import { runCommand } from '@gateway-infra/system/run-command'

/** Kills a dispatcher and restarts the broker in the middle of deliveries; a given broker is put out of reach instead. */
const chaosWebhooks: Command = (context, args) =>
  withTemporaryBacking(context, async ({ mongoUrl, amqpUrl, restartBroker }) => {
    const env = { ...context.env, MONGO_URL: mongoUrl, AMQP_URL: amqpUrl }
    const script = join(ROOT, 'tools/bench/webhooks/chaos/main.ts')
    const stdio = ['inherit', 'inherit', 'inherit', ...(restartBroker ? ['ipc' as const] : [])] as const
    const child = spawn(process.execPath, [script, ...args], { cwd: ROOT, env, stdio: [...stdio] })
    void context.stopRequested.then((signal) => child.kill(signal))
    child.on('message', () => {
      // When the restart fails, the child times out and says so.
      void restartBroker?.().then(() => child.send('restarted'))
    })
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    return code ?? (signal === null ? 1 : exitCodeOf(signal))
  })

await runCommand(chaosWebhooks)
