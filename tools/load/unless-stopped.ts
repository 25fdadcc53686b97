import { stopping } from '@gateway-infra/system/stopping'

/**
 * Resolves as `work` does, and rejects as soon as this process is asked to stop: the caller then ends what it has started. Nothing
 * waits for the rest of `work`.
 */
export async function unlessStopped<T>(work: () => Promise<T>): Promise<T> {
  const stopped = Promise.withResolvers<never>()
  stopping.throwIfAborted()
  stopping.addEventListener('abort', () => stopped.reject(stopping.reason), { once: true })
  const working = work()
  working.catch(() => undefined)
  return Promise.race([working, stopped.promise])
}
