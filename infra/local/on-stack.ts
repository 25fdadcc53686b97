import { join } from 'node:path'
import { findComposed } from './compose/composed.ts'
import { ROOT } from '@gateway-infra/system/paths'
import { choosePorts } from '@gateway-infra/system/ports'
import { ensureSecrets } from './secrets.ts'
import { serviceUrl } from './services.ts'
import { readStack, stackFile } from './stack-file.ts'
import { startStack } from './stack.ts'
import { readHolder, withStateLock } from './state-lock.ts'
import { runThrough } from '@gateway-infra/system/run-through'
import { UserError } from '@gateway-infra/system/user-error'
import type { Command, Context } from '@gateway-infra/system/context'

/** A program that uses the running stack, in containers or not; without one it starts one, and stops it afterwards. */
export function onStack(command: string, script: string): Command {
  return async (context, args) => {
    const { stateDir } = context.paths
    if (readHolder(stateDir) && readStack(stateDir)) return runScript(script, context, args)

    const composed = context.env['STACK_DIR'] === undefined ? await findComposed(context) : undefined
    if (composed !== undefined) return runOnComposed(composed, script, context, args)

    const ports = await choosePorts(context.env)
    return withStateLock(stateDir, { command, baseUrl: serviceUrl(ports, 'api-gateway') }, async () => {
      const running = await startStack(context, ports)
      try {
        return await runScript(script, context, args)
      } finally {
        await running.stop()
      }
    })
  }
}

/** The same program on the stack of `docker compose` and no other. */
export async function onComposed(script: string, context: Context, args: readonly string[]): Promise<number> {
  const composed = await findComposed(context)
  if (composed === undefined) throw new UserError('docker compose runs no stack of this project')
  return runOnComposed(composed, script, context, args)
}

async function runOnComposed(stateDir: string, script: string, context: Context, args: readonly string[]): Promise<number> {
  context.progress.log('taking the stack that docker compose runs')
  return runScript(script, { ...context, paths: { ...context.paths, stateDir } }, args)
}

/** `STACK_FILE` tells it where the stack is described, `NETWORK_CALLBACK_SECRET` how the network signs. */
async function runScript(script: string, { paths, env, stopRequested }: Context, args: readonly string[]): Promise<number> {
  const scriptEnv = {
    ...env,
    STACK_FILE: stackFile(paths.stateDir),
    NETWORK_CALLBACK_SECRET: ensureSecrets(paths.stateDir).networkCallbackSecret,
  }
  return runThrough(process.execPath, [join(ROOT, script), ...args], { cwd: ROOT, env: scriptEnv, stopRequested })
}
