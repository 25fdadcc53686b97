/** A whole stack of its own for one test file, as `npm start` brings it up, on the backing services of the tests. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually, removeNames, startChildService, type ChildService } from '@gateway/testkit'
import { readStack, type Stack } from '@gateway-infra/local/stack-file'
import { discardNativeData } from '@gateway-infra/offline/backing/rootfs'
import { readPaths } from '@gateway-infra/system/paths'

export type RunningStack = Awaited<ReturnType<typeof startStack>>
export type SharedStack = Pick<RunningStack, 'description' | 'stateDir' | 'logs'>

const START = new URL('../../infra/local/commands/start.ts', import.meta.url)
const READY_WITHIN_MS = 180_000
/** In the environment of `startStack`: engines of its own, which nobody else writes to. */
export const OWN_ENGINES = { MONGO_URL: '', AMQP_URL: '' } as const

/** Resolves when the stack is ready. `env` wins over what is local by default. */
export async function startStack(env: Readonly<Record<string, string>> = {}) {
  const stateDir = mkdtempSync(join(tmpdir(), 'gateway-e2e-'))
  const id = `e2e${randomBytes(5).toString('hex')}`
  const [databasePrefix, amqpPrefix] = [`${id}_`, `${id}.`]
  const supervisorEnv: NodeJS.ProcessEnv = {
    ...withoutJest(process.env),
    STACK_DIR: stateDir,
    STACK_PORTS: 'auto',
    DATABASE_PREFIX: databasePrefix,
    AMQP_PREFIX: amqpPrefix,
    ...env,
  }
  let supervisor: ChildService | undefined
  let description: Stack | undefined

  const start = async (): Promise<void> => {
    // `stack.json` of a killed stack is still there; it counts once it names living processes again.
    const before = readStack(stateDir)
    supervisor = await startChildService({ script: START, env: supervisorEnv })
    description = await untilReady(supervisor, stateDir, before)
  }
  const remove = async (): Promise<void> => {
    await end(supervisor, 'SIGTERM')
    const { MONGO_URL: mongoUrl, AMQP_URL: amqpUrl } = supervisorEnv
    if (mongoUrl && amqpUrl) await removeNames({ mongoUrl, amqpUrl }, { databasePrefix, amqpPrefix })
    await discardNativeData(stateDir, readPaths(process.env).cacheDir)
    rmSync(stateDir, { recursive: true, force: true })
  }
  const described = (): Stack => {
    if (!description) throw new Error('the stack is not running')
    return description
  }

  try {
    await start()
  } catch (error) {
    await remove()
    throw error
  }
  return {
    get description() {
      return described()
    },
    /** `stateDir` has its logs and secrets; the names of its databases and queues begin with the prefixes. */
    ...{ stateDir, databasePrefix, amqpPrefix },
    /** The log of each service, by its name. */
    logs: () => readLogs(join(stateDir, 'logs')),
    /** Kills everything without mercy, the supervisor first; what is on database and broker stays. */
    async kill() {
      const { services } = described()
      await end(supervisor, 'SIGKILL')
      for (const { pid } of Object.values(services)) process.kill(pid, 'SIGKILL')
    },
    /** Starts it again, on the same data. */
    start,
    /** Stops it in order, and removes all that it made. */
    remove,
  }
}

async function untilReady({ ended, output }: ChildService, stateDir: string, before: Stack | undefined): Promise<Stack> {
  let how: string | undefined
  void ended.then((end) => (how = end))
  const ready = await eventually(
    () => {
      const read = readStack(stateDir)
      if (read && pidsOf(read) !== pidsOf(before)) return read
      if (how !== undefined) return undefined
      throw new Error(`the stack is not ready yet: ${output()}`)
    },
    { deadlineMs: READY_WITHIN_MS, pauseMs: 100 },
  )
  if (!ready) throw new Error(`the stack has ended (${how}): ${output()}`)
  return ready
}

function pidsOf(description: Stack | undefined): string {
  return Object.values(description?.services ?? {})
    .map(({ pid }) => pid)
    .join()
}

/** Where the shared stack is, for Jest's workers. */
export const SHARED_DIR = 'SHARED_STACK_DIR'

/** The stack that Jest's setup has started, for test files that neither change nor stop a stack. */
export function sharedStack(): SharedStack {
  const stateDir = process.env[SHARED_DIR] ?? ''
  const description = readStack(stateDir)
  if (!description) throw new Error('there is no shared stack: run these tests with npm test')
  return { description, stateDir, logs: () => readLogs(join(stateDir, 'logs')) }
}

/** Jest's own options are nothing for the services. */
function withoutJest({
  NODE_OPTIONS: _options,
  NODE_ENV: _env,
  JEST_WORKER_ID: _worker,
  ...env
}: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env
}

async function end(supervisor: ChildService | undefined, signal: NodeJS.Signals): Promise<void> {
  supervisor?.kill(signal)
  await supervisor?.ended
}

function readLogs(folder: string): Map<string, string> {
  return new Map(readdirSync(folder).map((file) => [file.replace(/\.log$/u, ''), readFileSync(join(folder, file), 'utf8')]))
}
