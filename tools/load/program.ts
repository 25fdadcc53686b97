import { fork } from 'node:child_process'
import { once } from 'node:events'

/** What a program can do, by name. Arguments and results are copied between the processes. */
export type Functions = Readonly<Record<string, (...args: never[]) => unknown>>

/** A part of a measurement in a process of its own, so that its work is on no other event loop. It ends with its parent. */
export interface Program<F extends Functions> {
  /** Rejects with the message of the function's error, or when the program has ended. */
  call<Name extends keyof F & string>(name: Name, ...args: Parameters<F[Name]>): Promise<Awaited<ReturnType<F[Name]>>>
  close(): Promise<void>
}

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: string
}

/** Starts `file`, which answers by `serveProgram`. */
export function openProgram<F extends Functions>(file: string): Program<F> {
  const child = fork(file, { execArgv: [], env: { ...process.env, NODE_OPTIONS: '' }, serialization: 'advanced' })
  const calls = new Map<number, PromiseWithResolvers<unknown>>()
  let last = 0
  child.on('message', ({ id, result, error }: Answer) => {
    const call = calls.get(id)
    calls.delete(id)
    if (error === undefined) call?.resolve(result)
    else call?.reject(new Error(error))
  })
  const ended = once(child, 'exit').then(() => {
    for (const { reject } of calls.values()) reject(new Error(`${file} ended before it answered`))
  })
  return {
    call(name, ...args) {
      const call = Promise.withResolvers<unknown>()
      calls.set(++last, call)
      child.send({ id: last, name, args }, (error) => error && call.reject(error))
      // Both ends share `F`: the other end sends what the function returned.
      return call.promise as Promise<Awaited<ReturnType<F[typeof name]>>>
    },
    async close() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** The other end: runs the functions that the parent calls. Does nothing when `file` was only imported. */
export function serveProgram(file: string, functions: Functions): void {
  if (process.argv[1] !== file) return
  process.on('message', ({ id, name, args }: { id: number; name: string; args: never[] }) => {
    const answer = (rest: Partial<Answer>): void => void process.send?.({ id, ...rest })
    Promise.resolve(functions[name]?.(...args)).then(
      (result) => answer({ result }),
      (error: unknown) => answer({ error: String(error) }),
    )
  })
  process.once('disconnect', () => process.exit())
}
