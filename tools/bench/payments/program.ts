import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A part of the measurement in a process of its own, so that what it costs is seen apart and takes no other's event loop. */
export interface Program<Command, Answer> {
  readonly pid: number
  /** One at a time: sends the command and resolves with its answer. */
  call(command: Command): Promise<Answer>
  close(): Promise<void>
}

/** Starts `file`, which answers by `serveCommands`. */
export function openProgram<Command extends object, Answer>(file: string): Program<Command, Answer> {
  const child = fork(file, { execArgv: [], env: { ...process.env, NODE_OPTIONS: '' } })
  const exited = once(child, 'exit')
  return {
    pid: child.pid ?? 0,
    async call(command) {
      child.send(command)
      // Both ends are this folder's: the type says what the other end sends.
      const answered = once(child, 'message') as Promise<[Answer]>
      const answer = await Promise.race([answered, exited.then(() => undefined)])
      if (!answer) throw new Error(`${file} ended before it answered`)
      return answer[0]
    },
    async close() {
      child.disconnect()
      await exited
    },
  }
}

type Serve<Command, Answer> = (command: Command) => Promise<Answer>

/** The other end: answers each command of the parent, and ends with it. Returns what answers. */
export function serveCommands<Command, Answer>(answer: Serve<Command, Answer>): Serve<Command, Answer> {
  process.on('message', (command: Command) => {
    void (async () => process.send?.(await answer(command)))()
  })
  process.once('disconnect', () => process.exit())
  return answer
}
