import type { Publisher } from '@gateway/messaging'

/** The real publisher with something around each publish, so that a test can hold it up or die there. */
export function publisherAround(real: Publisher, publish: Publisher['publish']): Publisher {
  return {
    get state() {
      return real.state
    },
    onStateChange: (listener) => real.onStateChange(listener),
    publish,
  }
}
