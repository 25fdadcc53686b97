/** `on-stack.ts <script> [...arguments]`: runs a program on the running stack, or on one that is started for it. */
import { basename } from 'node:path'
import { findComposed } from '../compose/composed.ts'
import { choosePorts } from '@gateway-infra/system/ports'
import { ensureSecrets } from '../secrets.ts'
import { serviceUrl } from '../services.ts'
import { readStack, stackFile } from '../stack-file.ts'
import { startStack } from '../stack.ts'
import { readHolder, withStateLock } from '../state-lock.ts'
import { runCommand, runScript, type Context } from '@gateway-infra/system/command'
import { UserError } from '@gateway-infra/system/user-error'

/** On the running stack (native or compose); if none runs, it starts one and stops it afterwards. */
async function onStack(script: string, context: Context, args: readonly string[]): Promise<number> {
  const { stateDir } = context.paths
  if (readHolder(stateDir) && readStack(stateDir)) return runWithStack(script, context, args)

  const composed = context.env['STACK_DIR'] === undefined ? await findComposed(context) : undefined
  if (composed !== undefined) return runOnComposed(composed, script, context, args)

  const ports = await choosePorts(context.env)
  const holder = { command: basename(script, '.ts'), baseUrl: serviceUrl(ports, 'api-gateway') }
  return withStateLock(stateDir, holder, async () => {
    const running = await startStack(context, ports)
    try {
      return await runWithStack(script, context, args)
    } finally {
      await running.stop()
    }
  })
}

/** Runs the program on the stack of `docker compose` only. */
export async function onComposed(script: string, context: Context, args: readonly string[]): Promise<number> {
  const composed = await findComposed(context)
  if (composed === undefined) throw new UserError('docker compose is not running a stack of this project')
  return runOnComposed(composed, script, context, args)
}

async function runOnComposed(stateDir: string, script: string, context: Context, args: readonly string[]): Promise<number> {
  context.progress.log('using the stack of docker compose')
  return runWithStack(script, { ...context, paths: { ...context.paths, stateDir } }, args)
}

/** The program finds the stack through `STACK_FILE`; `NETWORK_CALLBACK_SECRET` lets it sign as the network does. */
async function runWithStack(script: string, context: Context, args: readonly string[]): Promise<number> {
  const { stateDir } = context.paths
  const NETWORK_CALLBACK_SECRET = ensureSecrets(stateDir).networkCallbackSecret
  const env = { ...context.env, STACK_FILE: stackFile(stateDir), NETWORK_CALLBACK_SECRET }
  return runScript(script, args, { ...context, env })
}

if (import.meta.main) await runCommand((context, [script = '', ...args]) => onStack(script, context, args))
