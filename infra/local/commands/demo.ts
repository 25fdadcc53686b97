import { join } from 'node:path'
import { ROOT } from '../paths.ts'
import { choosePorts } from '../ports.ts'
import { serviceUrl } from '../services.ts'
import { readStack, stackFile } from '../stack-file.ts'
import { startStack } from '../stack.ts'
import { readHolder, withStateLock } from '../state-lock.ts'
import { runThrough } from '../system/run-through.ts'
import type { Command, Context } from './context.ts'

/** Runs the demo on the running stack; without one it starts one, and stops it afterwards. */
export const demo: Command = async (context, args) => {
  const { stateDir } = context.paths
  if (readHolder(stateDir) && readStack(stateDir)) return runDemo(context, args)

  const ports = await choosePorts(context.env)
  return withStateLock(stateDir, { command: 'demo', baseUrl: serviceUrl(ports, 'api-gateway') }, async () => {
    const running = await startStack(context, ports)
    try {
      return await runDemo(context, args)
    } finally {
      await running.stop()
    }
  })
}

/** `STACK_FILE` tells it where the stack is described. */
async function runDemo({ paths, env, stopRequested }: Context, args: readonly string[]): Promise<number> {
  const demoEnv = { ...env, STACK_FILE: stackFile(paths.stateDir) }
  return runThrough(process.execPath, [join(ROOT, 'e2e/demo.ts'), ...args], { cwd: ROOT, env: demoEnv, stopRequested })
}
