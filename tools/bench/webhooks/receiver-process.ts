import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { KeyAndCertificate } from '@gateway/testkit/certificates'
import { endWithUs } from './end-with-us.ts'
import type { Arrivals, Progress, Question } from './receiver.ts'

export interface ReceiverProcess {
  /** Of the endpoints, in their order. */
  readonly urls: readonly string[]
  progress(): Promise<Progress>
  /** What was acknowledged since the last call; it begins to count anew. */
  take(): Promise<Arrivals>
  /** From now on these never answer; all others do. */
  hang(endpoints: number[]): Promise<void>
  stop(): void
}

/** Starts the merchants' servers in a process of their own, so that their work is not on the measured one. */
export async function startReceiver(ca: KeyAndCertificate, endpoints: number): Promise<ReceiverProcess> {
  const child = fork(new URL('./receiver.ts', import.meta.url), { serialization: 'advanced' })
  endWithUs(child)
  // One question at a time: each waits for the answer to the one before.
  let last: Promise<unknown> = Promise.resolve()
  const send = (message: object): Promise<unknown> => {
    last = last.then(async () => {
      child.send(message)
      const [answer] = (await once(child, 'message')) as [unknown]
      return answer
    })
    return last
  }
  // Both ends of the channel are files of this folder, and share these types.
  const ask = async <T>(question: Question) => (await send(question)) as T
  const urls = (await send({ ca, endpoints })) as string[]
  return {
    urls,
    progress: () => ask<Progress>({ ask: 'progress' }),
    take: () => ask<Arrivals>({ ask: 'take' }),
    async hang(hanging) {
      await ask({ ask: 'hang', endpoints: hanging })
    },
    stop: () => child.kill(),
  }
}
