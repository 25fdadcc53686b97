import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A part of a measurement in a process of its own, so that its work is on no other event loop. It ends with its parent. */
export interface Program<Command, Answer> {
  /** Sends the command and resolves with its answer. Commands run one after the other. */
  call(command: Command): Promise<Answer>
  close(): Promise<void>
}

/** Starts `file`, which answers by `serveCommands`. */
export function openProgram<Command extends object, Answer>(file: string): Program<Command, Answer> {
  const child = fork(file, { execArgv: [], env: { ...process.env, NODE_OPTIONS: '' }, serialization: 'advanced' })
  const ended = once(child, 'exit')
  let last: Promise<unknown> = Promise.resolve()

  async function send(command: Command): Promise<Answer> {
    child.send(command)
    // Both ends share these types: the other end sends an `Answer`.
    const answered = once(child, 'message') as Promise<[Answer]>
    const answer = await Promise.race([answered, ended.then(() => undefined)])
    if (!answer) throw new Error(`${file} ended before it answered`)
    return answer[0]
  }
  return {
    call(command) {
      const answer = last.then(() => send(command))
      last = answer.catch(() => undefined)
      return answer
    },
    async close() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

type Serve<Command, Answer> = (command: Command) => Promise<Answer>

/** The other end: answers each command of the parent. An error ends the process, and the parent's call rejects. */
export function serveCommands<Command, Answer>(answer: Serve<Command, Answer>): void {
  process.on('message', (command: Command) => {
    void answer(command).then((answered) => process.send?.(answered))
  })
  process.once('disconnect', () => process.exit())
}
