import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ROOT } from '../paths.ts'
import { exitCodeOf } from '../system/stopping.ts'
import { withTemporaryBacking } from '../temporary-backing.ts'
import type { Command } from './context.ts'

/** Kills a dispatcher and restarts the broker in the middle of deliveries; a given broker is put out of reach instead. */
export const chaosWebhooks: Command = (context, args) =>
  withTemporaryBacking(context, async ({ mongoUrl, amqpUrl, restartBroker }) => {
    const env = { ...context.env, MONGO_URL: mongoUrl, AMQP_URL: amqpUrl }
    const script = join(ROOT, 'infra/bench/webhooks/chaos/main.ts')
    const stdio = ['inherit', 'inherit', 'inherit', ...(restartBroker ? ['ipc' as const] : [])] as const
    const child = spawn(process.execPath, [script, ...args], { cwd: ROOT, env, stdio: [...stdio] })
    void context.stopRequested.then((signal) => child.kill(signal))
    child.on('message', () => {
      // When it fails, the child waits for its broker in vain and says so.
      void restartBroker?.().then(() => child.send('restarted'))
    })
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    return code ?? (signal === null ? 1 : exitCodeOf(signal))
  })
