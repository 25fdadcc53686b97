import type { Publisher } from '@gateway/messaging'

/** The real publisher with another `publish`, so that a test can delay it or crash there. */
export function publisherAround(real: Publisher, publish: Publisher['publish']): Publisher {
  return {
    get state() {
      return real.state
    },
    onStateChange: (listener) => real.onStateChange(listener),
    publish,
  }
}
