import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { eventually } from '@gateway/testkit'
import { endWithUs } from '@gateway-tools/bench/webhooks/end-with-us'
import type { ServiceName } from '@gateway-infra/local/services'

export interface ReplicaOptions {
  readonly service: ServiceName
  /** From 1. */
  readonly number: number
  /** The checkout whose code it runs. */
  readonly root: string
  readonly port: number
  readonly env: NodeJS.ProcessEnv
  readonly logFile: string
}

/** One process of a service, which can be restarted. */
export interface Replica extends Pick<ReplicaOptions, 'service' | 'number' | 'port'> {
  /** As it is told in its environment; a service without one has 0. */
  readonly operatorPort: number
  start(): Promise<void>
  /** SIGTERM, and resolves with how it ended: `0` when it ended well. */
  stop(): Promise<string>
}

const READY_WITHIN_MS = 240_000
const KILLED_AFTER_MS = 30_000

export function makeReplica({ service, number, root, port, env, logFile }: ReplicaOptions): Replica {
  let child: ChildProcess | undefined
  let ended = Promise.resolve('0')
  return {
    service,
    number,
    port,
    operatorPort: Number(env['OPERATOR_PORT'] ?? 0),
    async start() {
      mkdirSync(dirname(logFile), { recursive: true })
      const output = openSync(logFile, 'a', 0o600)
      const folder = join(root, 'services', service)
      child = spawn(process.execPath, [join(folder, 'src/main.ts')], { cwd: folder, env, stdio: ['ignore', output, output] })
      closeSync(output)
      endWithUs(child)
      ended = once(child, 'exit').then(([code, signal]) => String(signal ?? code))
      const early = ended.then((how) => Promise.reject(new Error(`${service} ended at its start (${how}): see ${logFile}`)))
      early.catch(() => undefined)
      await Promise.race([untilReady(port, service), early])
    },
    async stop() {
      const stopped = child
      if (!stopped) return '0'
      stopped.kill('SIGTERM')
      const timer = setTimeout(() => stopped.kill('SIGKILL'), KILLED_AFTER_MS)
      const how = await ended
      clearTimeout(timer)
      return how
    },
  }
}

/** Its neighbours may not be there yet: `degraded` is ready. */
async function untilReady(port: number, service: string): Promise<void> {
  await eventually(
    async () => {
      const answer = await (await fetch(`http://127.0.0.1:${port}/readyz`)).text()
      if (!answer.includes('"status":"ok"') && !answer.includes('"status":"degraded"')) throw new Error(`${service}: ${answer}`)
    },
    { deadlineMs: READY_WITHIN_MS, pauseMs: 100 },
  )
}
