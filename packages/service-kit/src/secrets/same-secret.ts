import { hash, timingSafeEqual } from 'node:crypto'

/** Whether what was given is the secret. It takes the same time wherever they differ, and however long the given one is. */
export function isSameSecret(given: string, secret: string): boolean {
  // Digests have one length.
  return timingSafeEqual(digest(given), digest(secret))
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
