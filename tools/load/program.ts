import { fork, type Serializable } from 'node:child_process'
import { once } from 'node:events'
import { createBirpc } from 'birpc'

/** What a program can do, by name. Arguments and results are copied between the processes. */
export type Functions = Readonly<Record<string, (...args: never[]) => unknown>>

/** A part of a measurement in a process of its own, so that its work is on no other event loop. It ends with its parent. */
export interface Program<F extends Functions> {
  /** Rejects with the function's error, or when the program has ended. */
  call<Name extends keyof F & string>(name: Name, ...args: Parameters<F[Name]>): Promise<Awaited<ReturnType<F[Name]>>>
  close(): Promise<void>
}

/** Starts `file`, which answers by `serveProgram`. */
export function openProgram<F extends Functions>(file: string): Program<F> {
  const child = fork(file, { execArgv: [], env: { ...process.env, NODE_OPTIONS: '' }, serialization: 'advanced' })
  const rpc = createBirpc<F, object, false>(
    {},
    {
      // A message that cannot be sent means that the program has ended, which rejects the call below.
      post: (message: Serializable) => child.send(message, () => undefined),
      on: (receive) => child.on('message', receive),
      // A call may take as long as a measurement does.
      timeout: -1,
      proxify: false,
    },
  )
  const ended = once(child, 'exit').then(() => rpc.$close(new Error(`${file} ended before it answered`)))
  return {
    call: (name, ...args) => rpc.$call(name, ...args),
    async close() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** The other end: runs the functions that the parent calls. Does nothing when `file` was only imported. */
export function serveProgram(file: string, functions: Functions): void {
  if (process.argv[1] !== file) return
  createBirpc(functions, { post: (message) => process.send?.(message), on: (receive) => process.on('message', receive) })
  process.once('disconnect', () => process.exit())
}
