/** State directories, databases and brokers that are removed after their use. */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Backing } from '@gateway-infra/offline/backing/backing'
import { discardNativeData } from '@gateway-infra/offline/backing/rootfs'
import { runScript, type Command, type Context } from '@gateway-infra/system/command'
import { tryLock } from '@gateway-infra/system/lock'
import type { Paths } from '@gateway-infra/system/paths'
import { choosePorts } from '@gateway-infra/system/ports'
import { withBacking } from './backing/start-backing.ts'
import { endAllLeftovers } from './state-lock.ts'

const PREFIX = 'test-'

/** Runs `work` with a database and a broker: the given ones, else temporary ones whose data is deleted afterwards. */
export async function withTemporaryBacking<T>(
  context: Context,
  work: (backing: Backing, stateDir: string) => Promise<T>,
): Promise<T> {
  const { paths, progress, env } = context
  return withTemporaryState(paths, async (stateDir) => {
    // Free ports, so that other stacks on this machine keep theirs.
    const ports = await choosePorts({ ...env, STACK_PORTS: 'auto' })
    return withBacking({ stateDir, cacheDir: paths.cacheDir, ports, progress, env, isTemporary: true }, (backing) =>
      work(backing, stateDir),
    )
  })
}

/**
 * A command that runs a program on a database and a broker: those of the environment, else temporary ones.
 * The program starts once `ready` has resolved. It reads `MONGO_URL` and `AMQP_URL`; `BACKING` says what kind they are (`given`, `docker` or `native`).
 */
export function runOnBacking(script: string, ready?: Promise<unknown>): Command {
  return (context, args) =>
    withTemporaryBacking(context, async ({ mongoUrl, amqpUrl, kind }) => {
      await ready
      const env = { ...context.env, MONGO_URL: mongoUrl, AMQP_URL: amqpUrl, BACKING: kind }
      return runScript(script, args, { ...context, env })
    })
}

/** Its own state directory is removed afterwards, as are those of killed runs. `name` tells several of one program apart. */
export async function withTemporaryState<T>(
  { stateDir, cacheDir }: Paths,
  work: (temporaryDir: string) => Promise<T>,
  name = '',
): Promise<T> {
  await mkdir(stateDir, { recursive: true })
  for (const found of await readdir(stateDir))
    if (found.startsWith(PREFIX)) await removeAbandoned(join(stateDir, found), cacheDir)

  const temporaryDir = join(stateDir, `${PREFIX}${process.pid}${name}`)
  const lock = await tryLock(temporaryDir)
  await mkdir(temporaryDir, { recursive: true })
  try {
    return await work(temporaryDir)
  } finally {
    lock?.release()
    await removeAbandoned(temporaryDir, cacheDir)
  }
}

/** Removes a directory unless the process that made it is alive. */
async function removeAbandoned(temporaryDir: string, cacheDir: string): Promise<void> {
  const lock = await tryLock(temporaryDir)
  if (!lock) return
  try {
    await endAllLeftovers(temporaryDir)
    await discardNativeData(temporaryDir, cacheDir)
    await rm(temporaryDir, { recursive: true, force: true })
  } finally {
    lock.release()
  }
}
